// Moving to another device: a sealed copy of the account waits at the relay, and a code contains its key.
import { type FileDraft, openTransferred } from '@postern/core'
import { decodeBackup, encodeBackup } from '@postern/core/recovery'
import {
  appLimits,
  type BlobId,
  bytes,
  type Codec,
  CodedError,
  contentLimits,
  decodeWith,
  encodeWith,
  guarded,
  inBackground,
  isCoded,
  optional,
  recoveryLimits,
  struct,
  text,
} from '@postern/protocol'
import type { AppCallAnswer } from '../contract/calls.ts'
import type { AccountLifecycle } from './account/account-lifecycle.ts'
import { moveKey, readMoveCode, SEED_BYTES, writeMoveCode } from './account/move-code.ts'
import type { Account } from './account/open-account.ts'
import { AppError } from './app-error.ts'
import { fetchCopy } from './fetch-copy.ts'
import type { AccountCopy, WorkerPlatform } from './platform.ts'
import { readMe } from './views/read-people.ts'

const NAME_BYTES_MAX = 4 * contentLimits.nameCharsMax

/** Before the account itself: its owner, to be shown before anything is done with it. */
type MovedCopy = { name: string; avatar: string | undefined; backup: Uint8Array }

const movedCopy: Codec<MovedCopy> = struct({
  name: text(NAME_BYTES_MAX),
  avatar: optional(text(2 * contentLimits.avatarBytesMax)),
  backup: bytes(recoveryLimits.sealedBytesMax),
})

/** The newest copy of each account that waits at the relay. */
const waiting = new WeakMap<Account, FileDraft>()

/** The code gives access to the account. It is valid for one device, for ten minutes, and until it is cancelled. */
export async function copyForMove(account: Account): Promise<{ code: string }> {
  await cancelMove(account)
  const { opened, client, platform } = account
  const { database, key: databaseKey } = await opened.copy()
  const { name, avatar } = readMe(account)
  const copied = encodeWith(movedCopy, { name, avatar, backup: encodeBackup({ database, databaseKey }) })
  const seed = (await platform.sealer()).randomBytes(SEED_BYTES)
  const draft = await client.files.draft(only(copied), {
    bytesHint: copied.length,
    key: moveKey(platform.fileCipher, seed),
    limits: { lifetimeMs: appLimits.moveKeptMs, fetches: 1 },
  })
  const { blob } = await draft.uploaded()
  waiting.set(account, draft)
  cancelLater(account, draft)
  return { code: writeMoveCode(platform.fileCipher, { blob, seed }) }
}

/** Makes the code useless. */
export async function cancelMove(account: Account): Promise<void> {
  const draft = waiting.get(account)
  waiting.delete(account)
  await draft?.discard()
}

/** The relay refuses it by then: this removes the local data. */
function cancelLater({ platform: { clock, log } }: Account, draft: FileDraft): void {
  const what = 'the copy of the account was not removed'
  const discard = guarded(() => inBackground(draft.discard(), { what, log }), { what, log })
  clock.setTimer(appLimits.moveKeptMs, discard)
}

type Browser = { home: AccountLifecycle; platform: WorkerPlatform }
type Asked = { code: string; fetchToken: string }
type Fetched = { asked: Asked; blob: BlobId; name: string; avatar: string | undefined; restored: AccountCopy }

/** The last copy that was fetched and not moved in yet. */
const fetched = new WeakMap<WorkerPlatform, Fetched>()

/** The owner of the account behind the code. Nothing here is changed: a stranger may have made the code. */
export async function lookAtMove(into: Browser, asked: Asked): Promise<AppCallAnswer<'lookAtMove'>> {
  const { name, avatar } = await fetchMove(into, asked)
  return { name, ...(avatar !== undefined && { avatar }) }
}

/** The account is here before its copy is deleted: an interruption in between loses nothing. */
export async function moveIn(into: Browser, asked: Asked): Promise<void> {
  const { restored, blob } = await fetchMove(into, asked)
  const { home, platform } = into
  await home.beginAnew({ restored, by: 'move' })
  fetched.delete(platform)
  const { client } = await home.opened()
  await client.files.discardBlob(blob)
}

/** Everything is fetched and checked before anything here is changed. */
async function fetchMove({ home, platform }: Browser, asked: Asked): Promise<Fetched> {
  if (await home.settled()) throw new AppError('account-exists')
  const known = fetched.get(platform)
  if (known?.asked.code === asked.code && known.asked.fetchToken === asked.fetchToken) return known
  const { blob, seed } = readMoveCode(platform.fileCipher, asked.code)
  const sealed = await fetchCopy(platform, blob, asked.fetchToken)
  const { name, avatar, backup } = readCopy(
    await openTransferred(platform.fileCipher, { sealed, key: moveKey(platform.fileCipher, seed) }),
  )
  const { database, databaseKey: key } = decodeBackup(backup)
  const found: Fetched = { asked, blob, name, avatar, restored: { database, key } }
  fetched.set(platform, found)
  // Nobody has pressed: the account of a person who walked away does not stay in memory.
  platform.clock.setTimer(
    appLimits.moveKeptMs,
    () => void (fetched.get(platform) === found && fetched.delete(platform)),
  )
  return found
}

function readCopy(copied: Uint8Array): MovedCopy {
  try {
    return decodeWith(movedCopy, copied)
  } catch (cause) {
    if (!isCoded(cause)) throw cause
    throw new CodedError('file-damaged', {}, { cause })
  }
}

async function* only(copied: Uint8Array): AsyncGenerator<Uint8Array> {
  yield copied
}
