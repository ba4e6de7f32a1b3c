// Changes a group as its operator asks: each request under a key of the caller is carried out once.

import type { ChatChange } from '@postern/bot-api'
import type { Chat } from '@postern/bot-api/objects'
import type { Client } from '@postern/core'
import { type AccountId, type ChatId, CodedError, gatewayLimits } from '@postern/protocol'
import { idempotencyOf } from './idempotency.ts'

const within = { timeoutMs: gatewayLimits.sendWithinMs }

/** No header contains this character: the second change of a request has a key that no caller can choose. */
const SECOND = '\u0000timer'

type KeyedRequest<Request> = Request & { chat: ChatId; key: string | undefined }

/** The title and the timer are two changes. The first has the caller's key, so that another request is refused. */
export async function changeChat(
  client: Client,
  { chat, key, change }: KeyedRequest<{ change: ChatChange }>,
): Promise<Chat> {
  const { name, timer_ms: timerMs } = change
  const request = { chat, change: { name, timerMs } }
  if (name !== undefined) await client.chats.renameGroup(chat, name, { ...within, ...idempotencyOf(key, request) })
  if (timerMs === undefined) return client.chats.get(chat)
  const timerKey = key !== undefined && name !== undefined ? `${key}${SECOND}` : key
  return await client.chats.setTimer(chat, timerMs, { ...within, ...idempotencyOf(timerKey, request) })
}

export async function addMembers(
  client: Client,
  { chat, key, add }: KeyedRequest<{ add: AccountId[] }>,
): Promise<Chat> {
  return await client.chats.addMembers(chat, add, { ...within, ...idempotencyOf(key, { chat, add }) })
}

export async function removeMember(
  client: Client,
  { chat, key, account }: KeyedRequest<{ account: AccountId }>,
): Promise<Chat> {
  if (account === client.account)
    throw new CodedError('bad-field', { field: 'account', rule: 'is the bot itself, which leaves with POST …/leave' })
  return await client.chats.removeMembers(chat, [account], {
    ...within,
    ...idempotencyOf(key, { chat, remove: account }),
  })
}

export async function setAdmin(
  client: Client,
  { chat, key, account, admin }: KeyedRequest<{ account: AccountId; admin: boolean }>,
): Promise<Chat> {
  const named = { account, role: admin ? 'admin' : 'member' } as const
  return await client.chats.setAdmin(chat, named, { ...within, ...idempotencyOf(key, { chat, ...named }) })
}

export async function leaveChat(client: Client, { chat, key }: KeyedRequest<object>): Promise<void> {
  await client.chats.leaveGroup(chat, { ...within, ...idempotencyOf(key, { leave: chat }) })
}
