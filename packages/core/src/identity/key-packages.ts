// Key packages: made ahead, left at the relay, used up by welcomes.

import type { Clock } from '@postern/protocol'
import { clientLimits, equalBytes } from '@postern/protocol'
import { credentialOf } from '../mls/credentials.ts'
import { type GeneratedKeyPackage, generateKeyPackage, type StoredKeyPackage } from '../mls/key-package.ts'
import type { MlsContext } from '../mls/mls-context.ts'
import type { RelayLink } from '../relay-link/relay-link.ts'
import type { Database } from '../storage/database.ts'
import type { Store } from '../storage/store.ts'
import type { OwnAccount } from './account.ts'

type KeyPackageContext = { store: Store; mls: MlsContext; own: OwnAccount; clock: Clock }
type KeyPackageRow = { reference: Uint8Array; public_bytes: Uint8Array; private_bytes: Uint8Array; last_resort: number }

/** Clocks differ: a package must not be from the future for whoever uses it at once. */
const BACKDATED_SEC = 24 * 3600

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
      notBeforeSec: nowSec - BACKDATED_SEC,
      notAfterSec: nowSec + clientLimits.keyPackageLifetimeMs / 1000,
    },
  })
}

export function findKeyPackage(store: Pick<Store, 'get'>, reference: Uint8Array): StoredKeyPackage | undefined {
  const row = store.get<KeyPackageRow>('SELECT * FROM key_package WHERE reference = ?', reference)
  return row && { publicBytes: row.public_bytes, privateBytes: row.private_bytes }
}

/** Once used, gone: but the last resort serves until another takes its place. */
export function consumeKeyPackage(database: Database, reference: Uint8Array): void {
  database.run('DELETE FROM key_package WHERE reference = ? AND last_resort = 0', reference)
}

/**
 * Fills up what the relay has. Stored before they are published: a welcome may come for each from then on.
 * `replace` takes back those that a copy of this database may have used since its backup was made; their keys stay,
 * for welcomes that are still under way.
 */
export async function publishKeyPackages(
  context: KeyPackageContext & { link: RelayLink },
  { atRelay, replace }: { atRelay: number; replace: boolean },
): Promise<void> {
  if (!replace && atRelay >= clientLimits.keyPackagesLow) return
  await publishMore(context, { count: clientLimits.keyPackagesTarget - (replace ? 0 : atRelay), replace })
}

/** A new account can be written to from its first moment on; the rest of its key packages follows. */
export async function publishFirstKeyPackages(context: KeyPackageContext & { link: RelayLink }): Promise<number> {
  const isDone = context.store.get('SELECT 1 FROM key_package WHERE last_resort = 1 AND published = 1') !== undefined
  if (isDone) return 0
  await publishMore(context, { count: clientLimits.keyPackagesFirst, replace: false })
  return clientLimits.keyPackagesFirst
}

async function publishMore(
  context: KeyPackageContext & { link: RelayLink },
  { count, replace }: { count: number; replace: boolean },
): Promise<void> {
  const { store, link } = context
  const made: GeneratedKeyPackage[] = []
  while (made.length <= count) made.push(await makeKeyPackage(context))
  const [lastResort, ...oneTime] = made
  if (!lastResort) return
  await store.write(database => storeMade(database, { made, lastResort, madeMs: context.clock.nowMs() }))
  await link.call('publishKeyPackages', {
    oneTime: oneTime.map(({ publicBytes }) => publicBytes),
    lastResort: lastResort.publicBytes,
    replace,
  })
  await store.write(database => {
    for (const { reference } of made)
      database.run('UPDATE key_package SET published = 1 WHERE reference = ?', reference)
  })
}

function storeMade(
  database: Database,
  { made, lastResort, madeMs }: { made: GeneratedKeyPackage[]; lastResort: GeneratedKeyPackage; madeMs: number },
): void {
  for (const { reference, publicBytes, privateBytes } of made)
    database.run(
      `INSERT INTO key_package (reference, public_bytes, private_bytes, last_resort, made_ms) VALUES (?, ?, ?, ?, ?)`,
      reference,
      publicBytes,
      privateBytes,
      equalBytes(reference, lastResort.reference) ? 1 : 0,
      madeMs,
    )
  const oldestMs = madeMs - clientLimits.keyPackageLifetimeMs
  database.run('DELETE FROM key_package WHERE made_ms < ?', oldestMs)
}
