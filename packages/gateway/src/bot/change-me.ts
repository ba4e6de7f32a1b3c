// Changes the bot's name or description.
import type { BotChange } from '@postern/bot-api'
import type { Bot } from '@postern/bot-api/objects'
import type { Client } from '@postern/core'
import { assertRegistered, getMe } from './get-me.ts'

export async function changeMe(client: Client, { name, about }: BotChange): Promise<Bot> {
  assertRegistered(client)
  if (name !== undefined || about !== undefined)
    await client.identity.setProfile({ ...(name !== undefined && { name }), ...(about !== undefined && { about }) })
  return await getMe(client)
}
