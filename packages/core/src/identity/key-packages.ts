// The records of key packages: made ahead, used up by welcomes, and kept for a while after others have replaced them.
import {
  credentialOf,
  type GeneratedKeyPackage,
  generateKeyPackage,
  type MlsContext,
  type StoredKeyPackage,
} from '@postern/mls'
import { type Clock, clientLimits, toBase64Url } from '@postern/protocol'
import type { Database } from '../storage/database.ts'
import type { Store } from '../storage/transactions/store.ts'
import type { OwnAccount } from './account.ts'

export type KeyPackageContext = { store: Store; mls: MlsContext; own: OwnAccount; clock: Clock }
type KeyPackageRow = { public_bytes: Uint8Array; private_bytes: Uint8Array }

export async function makeKeyPackage({
  mls,
  own,
  clock,
}: Omit<KeyPackageContext, 'store'>): Promise<GeneratedKeyPackage> {
  const nowSec = Math.floor(clock.nowMs() / 1000)
  return await generateKeyPackage(mls, {
    credential: credentialOf(own.publicKey, own.certificate),
    deviceKey: { publicKey: own.devicePublicKey, secretKey: own.deviceSecretKey },
    lifetime: {
      notBeforeSec: nowSec - clientLimits.keyPackageBackdatedSec,
      notAfterSec: nowSec + clientLimits.keyPackageLifetimeMs / 1000,
    },
  })
}

export function findKeyPackage(store: Pick<Store, 'get'>, reference: Uint8Array): StoredKeyPackage | undefined {
  const row = store.get<KeyPackageRow>(
    'SELECT public_bytes, private_bytes FROM key_package WHERE reference = ?',
    reference,
  )
  return row && { publicBytes: row.public_bytes, privateBytes: row.private_bytes }
}

/** Whether it may have been used before. */
export const isLastResort = (reads: Pick<Store, 'get'>, reference: Uint8Array): boolean =>
  reads.get<{ last_resort: number }>('SELECT last_resort FROM key_package WHERE reference = ?', reference)
    ?.last_resort === 1

/** Removed once used; but the last resort serves until another replaces it. */
export function consumeKeyPackage(database: Database, reference: Uint8Array): void {
  database.run('DELETE FROM key_package WHERE reference = ? AND last_resort = 0', reference)
}

/** The relay hands these key packages out no more. Their keys stay for a while: welcomes may be in flight. */
export function retireKeyPackages(database: Database, nowMs: number): void {
  database.run('UPDATE key_package SET retired_ms = ? WHERE retired_ms IS NULL', nowMs)
}

export type GeneratedKeyPackages = { oneTime: GeneratedKeyPackage[]; lastResort: GeneratedKeyPackage }

/** Called before they are published: a welcome may come for each from then on. */
export function storeMade(database: Database, { oneTime, lastResort }: GeneratedKeyPackages, madeMs: number): void {
  const insert = ({ reference, publicBytes, privateBytes }: GeneratedKeyPackage, isLastResort: 0 | 1) =>
    database.run(
      `INSERT INTO key_package (reference, public_bytes, private_bytes, last_resort, made_ms) VALUES (?, ?, ?, ?, ?)`,
      reference,
      publicBytes,
      privateBytes,
      isLastResort,
      madeMs,
    )
  for (const one of oneTime) insert(one, 0)
  insert(lastResort, 1)
}

/** The relay has them, and with `replace` no others of ours. */
export function notePublished(
  database: Database,
  { oneTime, lastResort }: GeneratedKeyPackages,
  { replace, nowMs }: { replace: boolean; nowMs: number },
): void {
  for (const { reference } of [...oneTime, lastResort])
    database.run('UPDATE key_package SET published = 1 WHERE reference = ?', reference)
  database.run(
    'UPDATE key_package SET retired_ms = ? WHERE retired_ms IS NULL AND last_resort = 1 AND reference <> ?',
    nowMs,
    lastResort.reference,
  )
  if (!replace) return
  const kept = new Set(oneTime.map(({ reference }) => toBase64Url(reference)))
  const live = database.all<{ reference: Uint8Array }>(
    'SELECT reference FROM key_package WHERE retired_ms IS NULL AND last_resort = 0',
  )
  for (const { reference } of live)
    if (!kept.has(toBase64Url(reference)))
      database.run('UPDATE key_package SET retired_ms = ? WHERE reference = ?', nowMs, reference)
}

/** Whether there was something to erase. Beyond the limit the oldest go first, even if a welcome is in flight. */
export function eraseOldKeys(database: Database, nowMs: number): boolean {
  const old = database.run('DELETE FROM key_package WHERE retired_ms < ?', nowMs - clientLimits.keyPackageKeptMs)
  const tooMany = database.run(
    `DELETE FROM key_package WHERE reference IN
       (SELECT reference FROM key_package ORDER BY made_ms DESC LIMIT -1 OFFSET ?)`,
    clientLimits.keyPackagesKeptMax,
  )
  return old.changes + tooMany.changes > 0
}
