// The chats for screens: core's, with this device's own data about them.
import { type AccountId, type ChatId, isAccountId, isCoded } from '@postern/protocol'
import type { BotFacts, Chat, ChatDetail, ChatLine } from '../../contract/objects.ts'
import type { Account } from '../account/open-account.ts'

/** Pinned ones first; both parts newest first, as core orders them. */
export function readChats(account: Account): ChatLine[] {
  const { client, marks, drafts, outgoing } = account
  const counts = outgoing.counts()
  const lines = client.chats.overview().map((chat): ChatLine => {
    const { waiting, refused } = counts.get(chat.id) ?? { waiting: 0, refused: false }
    const draft = drafts.get(chat.id)?.text
    return { ...chat, ...marks.get(chat.id), waiting, refused, ...(draft && { draft }) }
  })
  return lines.toSorted((one, other) => Number(other.pinned) - Number(one.pinned))
}

export function readUnread({ client, marks }: Account): { chats: number; messages: number } {
  const unread = client.chats
    .list()
    .filter(chat => chat.unread > 0 && chat.state === 'active' && !marks.get(chat.id).muted)
  return { chats: unread.length, messages: unread.reduce((sum, chat) => sum + chat.unread, 0) }
}

export function readChat(account: Account, id: ChatId): ChatDetail | undefined {
  const { client, marks, drafts } = account
  const chat = chatOf(account, id)
  if (!chat) return undefined
  const draft = drafts.get(id)
  const firstUnread = client.messages.firstUnread(id)
  const joinRequests = chat.type === 'group' ? client.groupLinks.requests(id).map(({ from }) => from) : []
  return {
    ...chat,
    ...marks.get(id),
    ...(draft && { draft }),
    ...(firstUnread && { firstUnread }),
    ...(joinRequests.length > 0 && { joinRequests }),
    verified: chat.verified === true,
    isEmpty: account.isEmpty(id),
    ...(chat.type === 'private' && botOf(account, chat)),
    groupBots: chat.type === 'group' ? groupBotsOf(account, chat) : [],
  }
}

export function chatOf({ client }: Account, id: ChatId): Chat | undefined {
  try {
    return client.chats.get(id)
  } catch (error) {
    if (isCoded(error, 'chat-not-found')) return undefined
    throw error
  }
}

function botOf(account: Account, chat: Chat): { bot?: BotFacts } {
  return isAccountId(chat.id) && isBot(account, chat.id) ? { bot: factsOf(account, chat.id) } : {}
}

const isBot = ({ client }: Account, account: AccountId): boolean => client.identity.profileOf(account).bot

function factsOf({ client }: Account, account: AccountId): BotFacts {
  const { about, commands } = client.identity.profileOf(account)
  return { about, commands: commands.map(commandOf) }
}

export const commandOf = ({
  name,
  description,
  args,
}: {
  name: string
  description: string
  args?: string | undefined
}) => ({
  name,
  description,
  ...(args !== undefined && { args }),
})

const groupBotsOf = (account: Account, { members }: Chat): ChatDetail['groupBots'] =>
  members
    .filter(member => member.bot && member.id !== account.client.account)
    .map(({ id, name }) => ({ id, name, ...factsOf(account, id) }))
