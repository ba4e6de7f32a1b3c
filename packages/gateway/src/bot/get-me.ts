// Who the bot is, once it is registered: before that its link would lead nowhere.
import type { Client } from '@postern/core'
import { CodedError } from '@postern/protocol'
import type { Bot } from '@postern/protocol/objects'

export function getMe(client: Client): Bot {
  if (!client.isRegistered) throw new CodedError('not-registered')
  const { id, name, inviteUrl, about, commands } = client.me()
  return { id, name, invite_url: inviteUrl, about, commands }
}
