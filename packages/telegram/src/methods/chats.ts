// Methods about chats and their members.

import type { EndpointName } from '@postern/bot-api'
import type { Chat } from '@postern/bot-api/objects'
import type { MethodInput } from '../telegram-context.ts'
import { badRequest } from '../telegram-error.ts'
import { chatOf, type MethodParts, type Methods } from './method.ts'

const chatIn = ({ parameters }: MethodInput, parts: MethodParts): Chat =>
  parts.context.client.chats.get(chatOf(parameters, parts))

async function memberOf(chat: Chat, account: string, { views }: MethodParts): Promise<object> {
  const member = chat.members.find(({ id }) => id === account)
  if (!member)
    return { user: await views.user({ id: account as Chat['members'][number]['id'], name: '' }), status: 'left' }
  const user = await views.user(member)
  return member.admin
    ? { user, status: 'administrator', is_anonymous: false, can_be_edited: false, ...adminRights }
    : { user, status: 'member' }
}

/** An admin of a group may do all of this here, and the rest does not exist. */
const adminRights = {
  can_manage_chat: true,
  can_delete_messages: false,
  can_manage_video_chats: false,
  can_restrict_members: true,
  can_promote_members: true,
  can_change_info: true,
  can_invite_users: true,
}

type GroupChange = Extract<EndpointName, 'removeMember' | 'setAdmin'>

async function changeMember(
  input: MethodInput,
  parts: MethodParts,
  asked: { name: GroupChange; body?: object },
): Promise<true> {
  const { parameters, key } = input
  const chat = chatOf(parameters, parts)
  const account = parts.views.account(parameters.need('user_id'))
  await parts.context.call(asked.name, { params: { chat, account }, key, ...(asked.body && { body: asked.body }) })
  return true
}

export const chatMethods: Methods = {
  getUserProfilePhotos: {
    fits: 'no effect',
    note: 'Answers an empty list.',
    run: ({ parameters }, { views }) => {
      views.account(parameters.need('user_id'))
      return { total_count: 0, photos: [] }
    },
  },
  getChat: {
    fits: 'full',
    note: 'Without a picture, a description and pinned messages.',
    run: async (input, parts) => ({
      ...(await parts.views.chatOf(chatIn(input, parts))),
      accent_color_id: 0,
      max_reaction_count: 1,
    }),
  },
  getChatMember: {
    fits: 'full',
    note: '`administrator`, `member` or `left`.',
    run: (input, parts) => memberOf(chatIn(input, parts), parts.views.account(input.parameters.need('user_id')), parts),
  },
  getChatMemberCount: { fits: 'full', note: '', run: (input, parts) => chatIn(input, parts).members.length },
  getChatAdministrators: {
    fits: 'full',
    note: '',
    run: async (input, parts) => {
      const chat = chatIn(input, parts)
      if (chat.type !== 'group') throw badRequest('there are no administrators in the private chat')
      return await Promise.all(chat.members.filter(({ admin }) => admin).map(({ id }) => memberOf(chat, id, parts)))
    },
  },
  banChatMember: {
    fits: 'partly',
    note: 'Removes the member, who can be added again. `until_date` and `revoke_messages` are ignored.',
    run: (input, parts) => changeMember(input, parts, { name: 'removeMember' }),
  },
  unbanChatMember: {
    fits: 'no effect',
    note: 'Answers `true`: nobody is banned, and it removes nobody.',
    run: (input, parts) => {
      chatIn(input, parts)
      return true
    },
  },
  promoteChatMember: {
    fits: 'partly',
    note: 'An admin has all rights: any right makes one, and a call without rights takes it back.',
    run: ({ parameters, ...input }, parts) => {
      const rights = [...parameters.entries()].map(([name]) => name).filter(name => name.startsWith('can_'))
      const admin = rights.some(name => parameters.flag(name))
      return changeMember({ parameters, ...input }, parts, { name: 'setAdmin', body: { admin } })
    },
  },
  setChatTitle: {
    fits: 'full',
    note: '',
    run: async ({ parameters, key }, parts) => {
      const chat = chatOf(parameters, parts)
      await parts.context.call('changeChat', { params: { chat }, body: { name: parameters.need('title') }, key })
      return true
    },
  },
  leaveChat: {
    fits: 'full',
    note: 'Groups only.',
    run: async ({ parameters, key }, parts) => {
      await parts.context.call('leaveChat', { params: { chat: chatOf(parameters, parts) }, key })
      return true
    },
  },
}
