// The people that this account knows, as recovery facts.
import { type AccountId, fromBase64Url, recoveryLimits, toBase64Url } from '@postern/protocol'
import type { KnownPersonFacts } from '@postern/protocol/content'
import type { Database } from '../storage/database.ts'
import type { Store } from '../storage/transactions/store.ts'
import type { PersonRow } from './people.ts'

type StoredPerson = PersonRow & { device_key: Uint8Array | null; device_serial: number }

/** Without the account itself. If there are too many, those with a decision of the owner come first. */
export const peopleFacts = (reads: Pick<Store, 'all'>, own: AccountId): KnownPersonFacts[] =>
  reads
    .all<StoredPerson>(
      `SELECT * FROM person WHERE account_id <> ?
       ORDER BY blocked + verified + accepted + by_link DESC, account_id LIMIT 0 + ?`,
      own,
      recoveryLimits.peopleMax,
    )
    .map(row => ({
      id: row.account_id,
      name: row.name,
      bot: row.bot === 1,
      ...(row.profile_key && { profileKey: toBase64Url(row.profile_key) }),
      profileFloor: row.floor_version,
      ...(row.device_key && { deviceKey: toBase64Url(row.device_key), deviceSerial: row.device_serial }),
      byLink: row.by_link === 1,
      accepted: row.accepted === 1,
      blocked: row.blocked === 1,
      verified: row.verified === 1,
    }))

/** Their profiles are fetched again: the facts have only the names. */
export function restorePeople(database: Database, people: readonly KnownPersonFacts[]): void {
  for (const person of people)
    database.run(
      `INSERT OR REPLACE INTO person (account_id, name, bot, profile_key, wanted_version, floor_version, device_key,
         device_serial, by_link, accepted, blocked, verified)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      person.id,
      person.name,
      person.bot ? 1 : 0,
      bytesOf(person.profileKey),
      Math.max(1, person.profileFloor),
      person.profileFloor,
      bytesOf(person.deviceKey),
      person.deviceSerial ?? 0,
      person.byLink ? 1 : 0,
      person.accepted ? 1 : 0,
      person.blocked ? 1 : 0,
      person.verified ? 1 : 0,
    )
}

const bytesOf = (encoded: string | undefined): Uint8Array | null =>
  encoded === undefined ? null : (fromBase64Url(encoded) ?? null)
