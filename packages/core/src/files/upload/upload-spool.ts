// Uploads a spool to the relay in one stream while it grows, and resumes after a lost connection.
import { type BlobId, CodedError, isCoded } from '@postern/protocol'
import { CHUNK_BYTES, sealedLength } from '../cipher/file-format.ts'
import type { FilesContext } from '../files-context.ts'
import type { UploadStanding, UploadTicket } from '../transport/blob-transport.ts'
import { StallGuard, TransferRetry } from '../transport/transfer-retry.ts'
import type { Spool, SpoolOptions } from './spool.ts'

/** A file that ends before this is announced with its exact size, and leaves nothing at the relay if it is cut off. */
const BEGIN_AFTER_BYTES = 2 * CHUNK_BYTES

type Upload = {
  spool: Spool
  bytesMax: number
  signal: AbortSignal
  onBegun: (blob: BlobId) => void
  onSent: SpoolOptions['onSent']
  limits: SpoolOptions['limits']
}

/**
 * Resolves when the relay has all of it. The blob is recorded before its first byte is sent, so that none is forgotten.
 */
export async function uploadSpool(parts: FilesContext, upload: Upload): Promise<BlobId> {
  const { spool, signal, onSent } = upload
  await spool.reaches(BEGIN_AFTER_BYTES, signal)
  const patience = new TransferRetry(parts, signal)
  const ticket = await begin(parts, { ...upload, patience })
  const sending = { ticket, spool, signal, patience, onSent }
  let standing: UploadStanding | undefined = { offset: 0, isComplete: false }
  let furthest = 0
  for (;;) {
    try {
      standing ??= await askStanding(parts, sending)
      if (assertPlausible(standing, spool).isComplete) return ticket.blob
      const { offset }: UploadStanding = standing
      if (offset > furthest) patience.arrived()
      furthest = Math.max(furthest, offset)
      if (offset === spool.sealedBytes && !spool.isEnded) {
        // The source pauses, however long, and not the relay.
        await spool.reaches(offset, signal)
        patience.moved()
      }
      standing = await sendFrom(parts, { ...sending, offset })
      // The relay may want other bytes than it has said: once is chance, but it must not happen repeatedly.
      if (standing.offset <= offset && !standing.isComplete) throw new CodedError('relay-unreachable')
    } catch (error) {
      if (isCoded(error, 'blob-unknown')) throw new CodedError('file-gone', {}, { cause: error })
      standing = undefined
      await patience.afterFailure(error)
    }
  }
}

type Sending = Pick<Upload, 'spool' | 'signal' | 'onSent'> & { ticket: UploadTicket; patience: TransferRetry }

async function begin(parts: FilesContext, upload: Upload & { patience: TransferRetry }): Promise<UploadTicket> {
  const { spool, bytesMax, limits } = upload
  for (;;) {
    try {
      const size = spool.isEnded ? spool.sealedBytes : sealedLength(bytesMax)
      const ticket = limits
        ? await parts.link.call('beginLimitedBlob', { size, ...limits })
        : await parts.link.call('beginBlob', { size })
      upload.onBegun(ticket.blob)
      await parts.store.write(database => database.run('INSERT INTO upload (blob_id) VALUES (?)', ticket.blob))
      upload.patience.arrived()
      return ticket
    } catch (error) {
      await upload.patience.afterFailure(error)
    }
  }
}

async function askStanding(parts: FilesContext, { ticket, signal }: Sending): Promise<UploadStanding> {
  const guard = new StallGuard(parts.clock, signal)
  try {
    return await parts.blobs.standing(ticket, guard.signal)
  } finally {
    guard.rest()
  }
}

async function sendFrom(parts: FilesContext, sending: Sending & { offset: number }): Promise<UploadStanding> {
  const { ticket, spool, offset, patience } = sending
  const guard = new StallGuard(parts.clock, sending.signal)
  const over = new AbortController()
  const signal = AbortSignal.any([sending.signal, over.signal])
  try {
    const length = spool.isEnded ? spool.sealedBytes - offset : undefined
    const body = follow({ ...sending, guard, signal })
    return await parts.blobs.upload(ticket, { offset, length, body, signal: guard.signal })
  } finally {
    // A connection may be cut while the source pauses: that time does not count against the relay.
    if (guard.isResting) patience.moved()
    // Nothing must read the source for a connection that has ended.
    over.abort()
    guard.rest()
  }
}

/** In pieces of at most a chunk: on a slow line the stall guard must see each of them. */
async function* follow({
  spool,
  offset,
  signal,
  patience,
  guard,
  onSent,
}: Sending & { offset: number; guard: StallGuard }): AsyncGenerator<Uint8Array> {
  for (let at = offset; at < spool.sealedBytes || !spool.isEnded; ) {
    // While the source gives nothing, nothing is expected of the relay.
    guard.rest()
    await spool.reaches(at, signal)
    guard.touch()
    patience.moved()
    const { bytes, done } = await spool.lend(at)
    for (let sent = 0; sent < bytes.length; ) {
      const piece = bytes.subarray(sent, sent + CHUNK_BYTES)
      yield piece
      sent += piece.length
      at += piece.length
      guard.touch()
      onSent?.(at)
      patience.moved()
    }
    // Not after a failure: a socket may still hold it.
    done()
  }
  guard.touch()
}

function assertPlausible(standing: UploadStanding, spool: Spool): UploadStanding {
  const { offset, isComplete } = standing
  const isWhole = spool.isEnded && offset === spool.sealedBytes
  if (offset > spool.sealedBytes || (isComplete && !isWhole))
    throw new CodedError('relay-broken', { what: 'it has more of an upload than was sent' })
  return standing
}
