// Blobs: announced over the connection, uploaded in pieces with a token, fetched by id.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import {
  type AccountId,
  BLOB_ID_BYTES,
  type BlobId,
  blobIdFromBytes,
  type Clock,
  CodedError,
  relayFixedLimits,
  toBase64Url,
} from '@postern/protocol'
import type { CallAnswer, CallRequest } from '@postern/protocol/relay'
import type { RelayLimits } from '../limits/relay-limits.ts'
import type { RelayStore, StoredBlob } from '../store/relay-store.ts'
import type { BlobRoom } from './blob-room.ts'
import type { BlobStore } from './blob-store.ts'

export type BlobParts = {
  /** Metadata of the blobs. */
  readonly store: RelayStore
  /** The bytes. */
  readonly blobs: BlobStore
  readonly room: BlobRoom
  readonly limits: RelayLimits
  readonly clock: Clock
  /** A banned account must not write blobs either. */
  readonly bans: { assertAllowed(account: AccountId): void }
}

const TOKEN_BYTES = 32

const hashOf = (token: string): Uint8Array => createHash('sha256').update(token).digest()

export async function beginBlob(
  { store, room, limits, clock }: BlobParts,
  { account: owner, signal }: { readonly account: AccountId; readonly signal?: AbortSignal | undefined },
  { size, lifetimeMs, fetches }: CallRequest<'beginBlob'> & Partial<CallRequest<'beginLimitedBlob'>>,
): Promise<CallAnswer<'beginBlob'>> {
  if (size === 0) throw new CodedError('bad-field', { field: 'size', rule: 'must be at least 1' })
  if (size > limits.blobBytesMax) throw new CodedError('too-large', { what: 'The blob', max: limits.blobBytesMax })
  if (lifetimeMs === 0) throw new CodedError('bad-field', { field: 'lifetimeMs', rule: 'must be at least 1' })
  if (fetches !== undefined && (fetches < 1 || fetches > relayFixedLimits.blobFetchesMax))
    throw new CodedError('bad-field', { field: 'fetches', rule: `must be 1 to ${relayFixedLimits.blobFetchesMax}` })
  // Refuse before a sender has uploaded hundreds of megabytes in vain.
  const refusal = room.refusal(size)
  if (refusal) throw refusal
  const blob = blobIdFromBytes(randomBytes(BLOB_ID_BYTES))
  const token = toBase64Url(randomBytes(TOKEN_BYTES))
  const given = { owner, size, tokenHash: hashOf(token), nowMs: clock.nowMs(), lifetimeMs, fetches }
  await store.beginBlob(blob, given, signal)
  return { blob, token }
}

export async function deleteBlob(
  parts: BlobParts,
  account: AccountId,
  { blob }: CallRequest<'deleteBlob'>,
): Promise<CallAnswer<'deleteBlob'>> {
  const stored = await parts.store.getBlob(blob)
  if (stored?.owner !== account) throw new CodedError('blob-unknown')
  await removeBlob(parts, blob)
  return {}
}

/** Deletes the bytes first: the sweep finds a row without bytes again, but never bytes without a row. */
async function removeBlob({ store, blobs, room }: BlobParts, blob: BlobId): Promise<void> {
  const stored = await store.getBlob(blob)
  const length = stored?.state === 'complete' ? stored.size : await blobs.length(blob)
  await blobs.delete(blob)
  room.giveBack(length)
  await store.forgetBlob(blob, length)
  // An upload may have written in between.
  if (stored?.state === 'uploading') await blobs.delete(blob)
}

/** Returns the blob that the token may write to. */
export async function blobForToken({ store, bans }: BlobParts, blob: BlobId, token: string): Promise<StoredBlob> {
  const stored = await store.getBlob(blob)
  if (!stored) throw new CodedError('blob-unknown')
  if (!timingSafeEqual(hashOf(token), stored.tokenHash))
    throw new CodedError('unauthenticated', { why: 'the upload token is not the one of this blob' })
  bans.assertAllowed(stored.owner)
  return stored
}

/** `token`: chosen by the fetcher, who presents it again to resume. Asking for the length claims no fetch. */
export type Fetcher = { token: string | undefined; asks: 'bytes' | 'length' }

/**
 * Returns the blob if it may be fetched:
 * complete, within its lifetime, and by one of the fetchers that its owner allows.
 */
export async function blobToFetch({ store, clock }: BlobParts, blob: BlobId, fetcher: Fetcher): Promise<StoredBlob> {
  const stored = await store.getBlob(blob)
  if (stored?.state !== 'complete') throw new CodedError('blob-unknown')
  if (stored.expiresMs !== undefined && stored.expiresMs <= clock.nowMs()) throw new CodedError('blob-unknown')
  if (stored.fetches === undefined) return stored
  if (fetcher.token === undefined) throw new CodedError('blob-unknown')
  const claim = {
    fetcher: hashOf(fetcher.token),
    how: fetcher.asks === 'bytes' ? ('claim' as const) : ('look' as const),
  }
  if ((await store.claimFetch(blob, claim)) === 'refused') throw new CodedError('blob-unknown')
  return stored
}

export type UploadState = { length: number; isComplete: boolean }

/**
 * The upload's progress.
 * An upload is complete when all announced bytes are stored, even if a crash prevented noting that.
 */
export async function standingOf(parts: BlobParts, blob: BlobId, stored: StoredBlob): Promise<UploadState> {
  if (stored.state === 'complete') return { length: stored.size, isComplete: true }
  const length = await parts.blobs.length(blob)
  if (length < stored.size) return { length, isComplete: false }
  return await completeBlob(parts, blob, length)
}

/** Completes the blob with the bytes that are stored. */
export async function completeBlob(parts: BlobParts, blob: BlobId, length: number): Promise<UploadState> {
  const done = await parts.blobs.complete(blob, length)
  return done === 'complete' ? await noteComplete(parts, blob, length) : await standingNow(parts, blob)
}

/** Notes that all bytes are in place. */
export async function noteComplete(parts: BlobParts, blob: BlobId, length: number): Promise<UploadState> {
  await parts.store.finishBlob(blob, { size: length, nowMs: parts.clock.nowMs() })
  return { length, isComplete: true }
}

/** Another relay has written to the blob and may be completing it, so this relay changes nothing. */
export async function standingNow({ store, blobs }: BlobParts, blob: BlobId): Promise<UploadState> {
  const length = await blobs.length(blob)
  const stored = await store.getBlob(blob)
  if (!stored) throw new CodedError('blob-unknown')
  if (stored.state === 'complete') return { length: stored.size, isComplete: true }
  return { length, isComplete: false }
}

export async function sweepBlobs(parts: BlobParts, signal: AbortSignal): Promise<number> {
  let removed = 0
  for (;;) {
    const expired = await parts.store.expiredBlobs(parts.clock.nowMs(), relayFixedLimits.blobsPerSweep)
    for (const blob of expired) {
      if (signal.aborted) return removed
      await removeBlob(parts, blob)
      removed += 1
    }
    if (expired.length < relayFixedLimits.blobsPerSweep) return removed
  }
}
