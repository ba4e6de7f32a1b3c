// Returns what a person that the bot knows says about themselves.
import type { PersonProfile } from '@postern/bot-api/objects'
import type { Client } from '@postern/core'
import type { AccountId } from '@postern/protocol'

export function getPerson(client: Client, account: AccountId): PersonProfile {
  const { id, name, about, bot, avatar } = client.identity.knownProfileOf(account)
  return { id, name, about, bot, ...(avatar !== undefined && { avatar }) }
}
