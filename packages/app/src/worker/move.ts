// Moving to another device: a sealed copy of the account waits at the relay, and a link has the key to it.
import { type FileDraft, openCarried } from '@postern/core'
import { decodeBackup, encodeBackup } from '@postern/core/recovery'
import {
  appLimits,
  type BlobId,
  CodedError,
  fromBase64Url,
  guarded,
  inBackground,
  isBlobId,
  toBase64Url,
} from '@postern/protocol'
import { AppError } from './app-error.ts'
import type { Home } from './home.ts'
import type { Account } from './open-account.ts'
import type { Rim } from './rim.ts'

const KEY_BYTES = 32

/** Whoever has the link has the account: it is shown on a screen, and is good for ten minutes. */
export async function copyForMove({ opened, client, rim }: Account): Promise<{ link: string }> {
  const { database, key } = await opened.copy()
  const bytes = encodeBackup({ database, databaseKey: key })
  const draft = await client.files.draft(only(bytes), { bytesHint: bytes.length })
  const { blob, ...stored } = await draft.uploaded()
  discardLater(rim, draft)
  const page = new URL('/', rim.relayUrl)
  page.protocol = page.protocol.replace('ws', 'http')
  page.hash = `m/${blob}/${toBase64Url(stored.key)}/${toBase64Url(stored.digest)}/${stored.size}`
  return { link: page.href }
}

function discardLater({ clock, log }: Rim, draft: FileDraft): void {
  const what = 'the copy of the account was not removed from the relay'
  const discard = guarded(() => inBackground(draft.discard(), { what, log }), { what, log })
  clock.setTimer(appLimits.moveKeptMs, discard)
}

/** Everything is fetched and judged before anything here is touched. */
export async function moveIn({ home, rim }: { home: Home; rim: Rim }, link: string): Promise<void> {
  if (await home.settled()) throw new AppError('account-exists')
  const { blob, ...stored } = readLink(link)
  const sealed = await rim.fetchBlob(blob)
  if (!sealed) throw new CodedError('file-gone')
  const { database, databaseKey: key } = decodeBackup(await openCarried(rim.fileCipher, { sealed, ...stored }))
  await home.beginAnew({ restored: { database, key }, by: 'move' })
}

function readLink(link: string): { blob: BlobId; key: Uint8Array; digest: Uint8Array; size: number } {
  const [mark, blob = '', ...rest] = URL.canParse(link) ? new URL(link).hash.slice(1).split('/') : []
  const [key, digest] = rest.slice(0, 2).map(part => fromBase64Url(part))
  const size = Number(rest[2])
  const isWhole = key?.length === KEY_BYTES && digest?.length === KEY_BYTES && Number.isSafeInteger(size) && size > 0
  if (mark !== 'm' || !isBlobId(blob) || !key || !digest || !isWhole) throw new CodedError('invite-malformed')
  return { blob, key, digest, size }
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
