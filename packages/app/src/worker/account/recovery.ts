// The files by which a person keeps the account outside of this browser, and restoring from one.
import {
  type ByWords,
  decodeBackup,
  decodeRecoveryFacts,
  encodeBackup,
  encodeRecoveryFacts,
  newWords,
  openSealed,
  type SealedKind,
  sealFile,
} from '@postern/core/recovery'
import { CodedError, recoveryLimits } from '@postern/protocol'
import { AppError } from '../app-error.ts'
import type { AccountBeginning, WorkerPlatform } from '../platform.ts'
import type { AccountLifecycle } from './account-lifecycle.ts'
import type { Account } from './open-account.ts'

/** Space for the data around the sealed bytes. */
const AROUND_BYTES = 1024

export const makeWords = async ({ sealer }: Pick<WorkerPlatform, 'sealer'>): Promise<string[]> =>
  await newWords(await sealer())

type Saved = { file: Blob; name: string }

export async function saveRecovery(account: Account, words: string[]): Promise<Saved> {
  const bytes = encodeRecoveryFacts(account.client.identity.recovery())
  return await save(account, { kind: 'recovery', bytes }, words)
}

/** The whole account with its history; files are fetched again from the relay, as long as it has them. */
export async function saveBackup(account: Account, words: string[]): Promise<Saved> {
  const { database, key } = await account.opened.copy()
  return await save(account, { kind: 'backup', bytes: encodeBackup({ database, databaseKey: key }) }, words)
}

async function save(
  account: Account,
  sealed: { kind: SealedKind; bytes: Uint8Array },
  words: string[],
): Promise<Saved> {
  const { platform, keeping } = account
  const bytes = await sealFile(sealed, await byWords(platform, words))
  await keeping.saved(sealed.kind)
  const day = new Date(platform.clock.nowMs()).toISOString().slice(0, 10)
  const name = sealed.kind === 'recovery' ? `postern-${day}.postern` : `postern-backup-${day}.postern`
  return { file: new Blob([new Uint8Array(bytes)], { type: 'application/octet-stream' }), name }
}

type RestoreAsked = { file: Blob; words: string[] }

/** Everything is read and checked before anything here is changed. */
export async function restore(
  { home, platform }: { home: AccountLifecycle; platform: WorkerPlatform },
  { file, words }: RestoreAsked,
): Promise<{ kind: SealedKind }> {
  if (file.size > recoveryLimits.sealedBytesMax + AROUND_BYTES)
    throw new CodedError('too-large', { what: 'The file', max: recoveryLimits.sealedBytesMax })
  // Before the words are tried: that keeps the worker busy for seconds, and Chromium may never finish a database that is
  // being opened meanwhile.
  if (await home.settled()) throw new AppError('account-exists')
  const bytes = new Uint8Array(await file.arrayBuffer())
  const opened = await openSealed(bytes, await byWords(platform, words))
  await home.beginAnew(beginningOf(opened))
  return { kind: opened.kind }
}

function beginningOf({ kind, bytes }: { kind: SealedKind; bytes: Uint8Array }): AccountBeginning {
  if (kind === 'recovery') return { firstStart: { restore: decodeRecoveryFacts(bytes) } }
  const { database, databaseKey: key } = decodeBackup(bytes)
  return { restored: { database, key }, by: 'backup' }
}

const byWords = async (
  platform: Pick<WorkerPlatform, 'sealer' | 'sealCostLog2'>,
  words: string[],
): Promise<ByWords> => ({
  words: words.join(' '),
  provider: await platform.sealer(),
  ...(platform.sealCostLog2 !== undefined && { costLog2: platform.sealCostLog2 }),
})
