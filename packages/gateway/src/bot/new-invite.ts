// Makes a new invite link for the bot. People with an older link then arrive as strangers.
import type { Bot } from '@postern/bot-api/objects'
import type { Client } from '@postern/core'
import { assertRegistered, getMe } from './get-me.ts'

export async function newInvite(client: Client): Promise<Bot> {
  assertRegistered(client)
  await client.identity.newInvite()
  return await getMe(client)
}
