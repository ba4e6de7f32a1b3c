// Returns the bot once it is registered: before that, its link would lead nowhere.
import type { Bot } from '@postern/bot-api/objects'
import type { Client } from '@postern/core'
import { CodedError, gatewayLimits, isCoded } from '@postern/protocol'

/** Before registration nothing is changed either: the caller could not read the result. */
export function assertRegistered(client: Client): void {
  if (!client.isRegistered) throw new CodedError('not-registered')
}

export function inviteUrlOf(client: Client): string {
  assertRegistered(client)
  return client.identity.me().inviteUrl
}

export async function getMe(client: Client): Promise<Bot> {
  assertRegistered(client)
  const left = await newPeopleLeft(client)
  const { id, name, inviteUrl, about, commands } = client.identity.me()
  return { id, name, invite_url: inviteUrl, about, commands, ...(left !== undefined && { new_people_left: left }) }
}

/** Only the relay knows it: the rest of the answer does not wait long for a relay that is away or silent. */
async function newPeopleLeft(client: Client): Promise<number | undefined> {
  try {
    return await client.identity.newPeopleLeft({ timeoutMs: gatewayLimits.newPeopleLeftWithinMs })
  } catch (error) {
    if (!isCoded(error)) throw error
    return undefined
  }
}
