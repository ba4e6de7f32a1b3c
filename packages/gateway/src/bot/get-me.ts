// Returns the bot once it is registered: before that, its link would lead nowhere.
import type { Bot } from '@postern/bot-api/objects'
import type { Client } from '@postern/core'
import { CodedError } from '@postern/protocol'

/** Before registration nothing is changed either: the caller could not read the result. */
export function assertRegistered(client: Client): void {
  if (!client.isRegistered) throw new CodedError('not-registered')
}

export function getMe(client: Client): Bot {
  assertRegistered(client)
  const { id, name, inviteUrl, about, commands } = client.identity.me()
  return { id, name, invite_url: inviteUrl, about, commands }
}
