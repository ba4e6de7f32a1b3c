// Creates a group with the bot as its first admin.
import type { Chat } from '@postern/bot-api/objects'
import type { Client } from '@postern/core'
import { type AccountId, gatewayLimits } from '@postern/protocol'
import { idempotencyOf } from './idempotency.ts'

type NewGroupRequest = { name: string; members: AccountId[]; key: string | undefined }

export async function createGroup(client: Client, { name, members, key }: NewGroupRequest): Promise<Chat> {
  // A member that is named twice counts once, and the bot is a member anyway.
  const others = [...new Set(members)].filter(member => member !== client.account)
  const group = { name, members: others }
  const within = { timeoutMs: gatewayLimits.sendWithinMs }
  return await client.chats.createGroup(group, { ...within, ...idempotencyOf(key, { group }) })
}
