// A new invite link for the bot: who has an older one comes as a stranger.
import type { Client } from '@postern/core'
import type { Bot } from '@postern/protocol/objects'
import { assertRegistered, getMe } from './get-me.ts'

export async function newInvite(client: Client): Promise<Bot> {
  assertRegistered(client)
  await client.newInvite()
  return getMe(client)
}
