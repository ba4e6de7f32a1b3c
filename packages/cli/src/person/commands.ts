// The commands of `postern person`: the order of each, and its call to the client.
import { chatIdOf, formattedWords } from '@postern/bot-api'
import type { Client, Me } from '@postern/core'
import { type AccountId, type ChatId, CodedError, personLimits, privateChatId } from '@postern/protocol'
import { parseGroupLink, parseInvite } from '@postern/protocol/content'
import type { CommandName, FieldsOf } from './command-fields.ts'
import { downloadFile } from './download-file.ts'
import { forwardMessage } from './forward-message.ts'
import { sendLocalAlbum } from './send-local-album.ts'
import { sendLocalFile } from './send-local-file.ts'
import { setLocalPicture } from './set-local-picture.ts'

/** `now`: does not wait. `send`: in order with the other sends of its chat. `alone`: exclusive in its chat. */
export type Order<Fields> = { kind: 'now' } | { kind: 'send' | 'alone'; chat: (fields: Fields) => ChatId }

/** A command that may take long ends early at the signal. */
export type PersonCommand<Fields> = {
  order: Order<Fields>
  run: (client: Client, fields: Fields, stop: AbortSignal) => unknown
}

const within = { timeoutMs: personLimits.commandWithinMs }
const now: Order<unknown> = { kind: 'now' }
const alone: Order<{ chat: ChatId }> = { kind: 'alone', chat: fields => fields.chat }
const privateChat: Order<{ account: AccountId }> = { kind: 'alone', chat: ({ account }) => privateChatId(account) }
const sends: Order<{ chat: ChatId }> = { kind: 'send', chat: fields => fields.chat }

/** The link contains more than the bare id: the key of the profile and a token. */
function targetOf({ invite, account }: FieldsOf<'open'>) {
  if (account !== undefined) return { account }
  return parseInvite(invite ?? '')
}

const meOf = ({ inviteUrl, ...me }: Me) => ({ ...me, invite_url: inviteUrl })

export const commands: { [Name in CommandName]: PersonCommand<FieldsOf<Name>> } = {
  me: { order: now, run: client => meOf(client.identity.me()) },
  invite: { order: now, run: async client => meOf(await client.identity.newInvite()) },
  'delete-account': {
    order: now,
    run: async (client, { confirm }) => {
      if (confirm !== client.account)
        throw new CodedError('bad-field', { field: 'confirm', rule: 'must be the id of this account' })
      await client.identity.deleteAccount(within)
      return {}
    },
  },
  open: {
    order: { kind: 'alone', chat: fields => privateChatId(targetOf(fields).account) },
    run: async (client, fields) => {
      const opened = await client.chats.open(targetOf(fields), within)
      if (fields.text === undefined) return opened
      const chat = chatIdOf(opened.id)
      await client.messages.sendText(chat, { text: fields.text }, within)
      return client.chats.get(chat)
    },
  },
  profile: { order: now, run: (client, { account }) => client.identity.learnProfile(account, within) },
  verify: {
    order: now,
    run: async (client, { account, mark }) => {
      if (mark) await client.identity.setVerified(account, mark)
      const number = await client.identity.safetyNumber(account, within)
      return { ...number, verified: client.identity.profileOf(account).verified ?? false }
    },
  },
  chats: { order: now, run: client => client.chats.list() },
  messages: {
    order: now,
    run: (client, { chat, before, limit }) =>
      client.messages.list(chat, { limit, ...(before !== undefined && { beforeTs: before }) }),
  },
  history: {
    order: now,
    run: (client, { chat, before, limit }) =>
      client.messages.history(chat, { limit, ...(before !== undefined && { before }) }),
  },
  send: {
    order: sends,
    run: (client, { chat, reply_to, silent, ...words }) =>
      client.messages.sendText(
        chat,
        {
          ...formattedWords(words),
          ...(reply_to && { replyTo: reply_to }),
          ...(silent && { silent }),
        },
        within,
      ),
  },
  file: { order: sends, run: sendLocalFile },
  album: { order: sends, run: sendLocalAlbum },
  download: { order: now, run: downloadFile },
  forward: { order: { kind: 'send', chat: ({ to }) => to }, run: forwardMessage },
  edit: {
    order: sends,
    run: (client, { chat, message, ...words }) =>
      client.messages.edit(chat, { message, ...formattedWords(words) }, within),
  },
  delete: {
    order: sends,
    run: (client, { chat, message, for: whom }) => client.messages.delete(chat, { message, for: whom }, within),
  },
  react: {
    order: sends,
    run: (client, { chat, message, emoji }) => client.messages.react(chat, { message, emoji }, within),
  },
  poll: {
    order: sends,
    run: (client, { chat, close_ts, reply_to, silent, mentions, ...poll }) =>
      client.messages.sendPoll(
        chat,
        {
          ...poll,
          ...(close_ts && { closeTs: close_ts }),
          ...(reply_to && { replyTo: reply_to }),
          ...(silent && { silent }),
          ...(mentions && { mentions }),
        },
        within,
      ),
  },
  vote: {
    order: sends,
    run: (client, { chat, message, options }) => client.messages.vote(chat, { message, options }, within),
  },
  close: { order: sends, run: (client, { chat, message }) => client.messages.closePoll(chat, message, within) },
  press: {
    order: sends,
    run: async (client, { chat, message, data }) => ({
      press_id: await client.messages.press(chat, { message, data }, within),
    }),
  },
  read: { order: sends, run: (client, { chat, up_to }) => client.messages.markRead(chat, up_to) },
  typing: {
    order: sends,
    run: async (client, { chat }) => {
      await client.typing.send(chat, within)
      return {}
    },
  },
  timer: { order: alone, run: (client, { chat, ms }) => client.chats.setTimer(chat, ms, within) },
  call: { order: sends, run: (client, { chat }) => client.messages.call(chat, within) },
  group: { order: now, run: (client, group) => client.chats.createGroup(group, within) },
  add: { order: alone, run: (client, { chat, members }) => client.chats.addMembers(chat, members, within) },
  remove: { order: alone, run: (client, { chat, members }) => client.chats.removeMembers(chat, members, within) },
  rename: { order: alone, run: (client, { chat, name }) => client.chats.renameGroup(chat, name, within) },
  picture: { order: alone, run: setLocalPicture },
  admin: { order: alone, run: (client, { chat, ...named }) => client.chats.setAdmin(chat, named, within) },
  link: { order: now, run: (client, { chat }) => client.groupLinks.make(chat) },
  links: { order: now, run: (client, { chat }) => client.groupLinks.list(chat) },
  revoke: { order: now, run: (client, { chat, token }) => client.groupLinks.revoke(chat, token) },
  ask: {
    order: { kind: 'alone', chat: ({ link }) => privateChatId(parseGroupLink(link).account) },
    run: (client, { link }) => client.groupLinks.ask(parseGroupLink(link), within),
  },
  asked: { order: now, run: client => client.groupLinks.asked() },
  unask: { order: now, run: (client, asked) => client.groupLinks.forgetAsked(asked) },
  requests: { order: now, run: (client, { chat }) => client.groupLinks.requests(chat) },
  answer: {
    order: alone,
    run: (client, { chat, account, with: answer }) =>
      answer === 'add' ? client.groupLinks.add(chat, account, within) : client.groupLinks.decline(chat, account),
  },
  leave: { order: alone, run: (client, { chat }) => client.chats.leaveGroup(chat, within) },
  accept: { order: alone, run: (client, { chat }) => client.chats.accept(chat) },
  decline: { order: alone, run: (client, { chat }) => client.chats.decline(chat) },
  blocked: { order: now, run: client => client.identity.blocked() },
  block: { order: privateChat, run: (client, { account }) => client.chats.block(account) },
  unblock: { order: privateChat, run: (client, { account }) => client.chats.unblock(account) },
}
