// The owner's decisions about people: whose keys were compared, and who is blocked.
import type { Person } from '@postern/bot-api/objects'
import type { AccountId } from '@postern/protocol'
import type { Database } from '../storage/database.ts'
import type { Store } from '../storage/transactions/store.ts'
import { shownName } from './people.ts'

export type Verification = 'verified' | 'unverified'

type Reads = Pick<Store, 'get' | 'all'>

export const isBlocked = (reads: Pick<Reads, 'get'>, account: AccountId): boolean =>
  reads.get('SELECT 1 FROM person WHERE account_id = ? AND blocked = 1', account) !== undefined

export const isVerified = (reads: Pick<Reads, 'get'>, account: AccountId): boolean =>
  reads.get('SELECT 1 FROM person WHERE account_id = ? AND verified = 1', account) !== undefined

export const blockedPeople = (reads: Reads): Person[] =>
  reads
    .all<{ account_id: AccountId; name: string }>(
      'SELECT account_id, name FROM person WHERE blocked = 1 ORDER BY account_id',
    )
    .map(({ account_id: id, name }) => ({ id, name: shownName(id, name) }))

export function noteBlocked(database: Database, account: AccountId, blocked: 0 | 1): void {
  database.run(
    'INSERT INTO person (account_id, blocked) VALUES (?, ?) ON CONFLICT DO UPDATE SET blocked = excluded.blocked',
    account,
    blocked,
  )
}

/**
 * It concerns the account's key, from which its id is made: it stays valid for every device that this key certifies.
 */
export function noteVerified(database: Database, account: AccountId, verified: Verification): void {
  database.run(
    'INSERT INTO person (account_id, verified) VALUES (?, ?) ON CONFLICT DO UPDATE SET verified = excluded.verified',
    account,
    verified === 'verified' ? 1 : 0,
  )
}
