// A new invite link for the bot: who has an older one comes as a stranger.
import type { Bot } from '@postern/bot-api/objects'
import type { Client } from '@postern/core'
import { assertRegistered, getMe } from './get-me.ts'

export async function newInvite(client: Client): Promise<Bot> {
  assertRegistered(client)
  await client.identity.newInvite()
  return getMe(client)
}
