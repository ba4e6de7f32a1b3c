// The transport of file ciphertext to the relay and back.
// Node and the browser have one each, and tests have one that they can cut.
import type { BlobId } from '@postern/protocol'

/** The right to write to a blob. */
export type UploadTicket = { blob: BlobId; token: string }

/** The progress of an upload at the relay. */
export type UploadStanding = { offset: number; isComplete: boolean }

export type UploadPiece = {
  offset: number
  /** Absent while the length is not known. */
  length: number | undefined
  /** Each of its pieces is valid only until the next one is requested. The blob ends where the body ends. */
  body: AsyncIterable<Uint8Array>
  signal: AbortSignal
}

export type WantedBytes = {
  from: number
  signal: AbortSignal
  /** For a blob with a limited number of fetchers: a secret of this one, the same for all its requests. */
  fetchToken?: string | undefined
}

export type Download = {
  /** The position at which the body begins. */
  start: number
  /** The length of the whole blob. A proxy in between may not report it. */
  total: number | undefined
  /** Each of its pieces is valid only until the next one is requested. */
  body: AsyncIterable<Uint8Array>
}

/**
 * A lost connection and a busy relay are `relay-unreachable`: worth another try. A missing blob is `blob-unknown`, a
 * relay whose disk is full `relay-full`. Errors of `body` are thrown unchanged.
 */
export interface BlobTransport {
  upload(ticket: UploadTicket, piece: UploadPiece): Promise<UploadStanding>
  standing(ticket: UploadTicket, signal: AbortSignal): Promise<UploadStanding>
  download(blob: BlobId, wanted: WantedBytes): Promise<Download>
  close(): void
}

export type BlobTransportFactory = (relayUrl: string) => BlobTransport

export function blobUrl(relayUrl: string, blob: BlobId): URL {
  const url = new URL(`/blobs/${blob}`, relayUrl)
  url.protocol = url.protocol.replace('ws', 'http')
  return url
}

export const wantedHeaders = (from: number, fetchToken: string | undefined): Record<string, string> => ({
  ...(from > 0 && { Range: `bytes=${from}-` }),
  ...(fetchToken !== undefined && { 'Fetch-Token': fetchToken }),
})
