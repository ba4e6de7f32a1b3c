// The chats and people that a token reaches when it is limited to chats.
import type { Chat } from '@postern/bot-api'
import type { Client } from '@postern/core'
import type { AccountId, ChatId } from '@postern/protocol'
import { type Access, outsideToken } from '../access.ts'

type LimitedPage = { limit: number | undefined; after: ChatId | undefined; chats: readonly string[] }

/** In the same order as all chats. `after` is one of them. */
export function listLimited(client: Client, { limit, after, chats }: LimitedPage): Chat[] {
  const listed = chatsOf(client, chats)
  // As for a page of all chats: a chat that is not there is an error, not the first page.
  if (after !== undefined) client.chats.get(after)
  const first = listed.findIndex(({ id }) => id === after) + 1
  return listed.slice(first, limit === undefined ? undefined : first + limit)
}

/** The same whether the bot knows the person or not. */
export function reachedPerson(client: Client, account: AccountId, { chats }: Access): AccountId {
  if (!chats || chatsOf(client, chats).some(({ members }) => members.some(({ id }) => id === account))) return account
  throw outsideToken(`The account ${account} is in none of them`)
}

const chatsOf = (client: Client, chats: readonly string[]): Chat[] =>
  client.chats.list().filter(({ id }) => chats.includes(id))
