// The newest device of each person: the one with the highest serial that a certificate of the account has shown here.
import type { Member } from '@postern/mls'
import { type AccountId, clientLimits, equalBytes } from '@postern/protocol'
import type { Database } from '../storage/database.ts'
import type { Store } from '../storage/transactions/store.ts'

type SeenDevice = Pick<Member, 'devicePublicKey' | 'serial'>
type Reads = Pick<Store, 'get'>

function newestDevice(reads: Reads, account: AccountId): SeenDevice | undefined {
  const row = reads.get<{ device_key: Uint8Array | null; device_serial: number }>(
    'SELECT device_key, device_serial FROM person WHERE account_id = ?',
    account,
  )
  return row?.device_key ? { devicePublicKey: row.device_key, serial: row.device_serial } : undefined
}

const sameKey = (one: SeenDevice, other: SeenDevice): boolean => equalBytes(one.devicePublicKey, other.devicePublicKey)

/**
 * The account has certified another device since. A renewed certificate has a higher serial for the same key, so an
 * older one for that key revokes nothing: leaves of existing groups still show it.
 */
const replaces = (newest: SeenDevice, device: SeenDevice): boolean =>
  !sameKey(newest, device) && device.serial < newest.serial

export function isRevoked(reads: Reads, account: AccountId, device: SeenDevice): boolean {
  const newest = newestDevice(reads, account)
  return newest !== undefined && replaces(newest, device)
}

/** Clocks differ: a certificate counts for a while after its end. */
export const isExpired = ({ notAfterSec }: Pick<Member, 'notAfterSec'>, nowMs: number): boolean =>
  notAfterSec * 1000 + clientLimits.certificateEndToleranceMs < nowMs

/**
 * Notes a device that a group has proved. The pin never goes back: a revoked device may appear in groups that the
 * account has not changed since.
 */
export function noteDevice(
  database: Database,
  account: AccountId,
  device: SeenDevice,
): 'same' | 'first' | 'changed' | 'revoked' {
  const newest = newestDevice(database, account)
  if (newest && replaces(newest, device)) return 'revoked'
  const isSame = newest !== undefined && sameKey(newest, device)
  if (isSame && device.serial <= newest.serial) return 'same'
  database.run(
    `INSERT INTO person (account_id, device_key, device_serial) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET device_key = excluded.device_key, device_serial = excluded.device_serial`,
    account,
    device.devicePublicKey,
    device.serial,
  )
  if (isSame) return 'same'
  return newest ? 'changed' : 'first'
}
