// How the ciphertext of files travels to the relay and back. Node and the browser bring one, and tests one that they can cut.
import type { BlobId } from '@postern/protocol'

/** The right to write to a blob. */
export type UploadTicket = { blob: BlobId; token: string }

/** How far the relay has come with an upload. */
export type UploadStanding = { offset: number; isComplete: boolean }

export type UploadPiece = {
  offset: number
  /** Absent while it is not known how much will come. */
  length: number | undefined
  /** Each of its pieces holds only until the next one is asked for. The blob ends where it ends. */
  body: AsyncIterable<Uint8Array>
  signal: AbortSignal
}

export type WantedBytes = {
  from: number
  signal: AbortSignal
  /** For a blob that has only so many fetchers: a secret of this one, the same for all that it asks. */
  fetchToken?: string | undefined
}

export type Download = {
  /** Where the body begins. */
  start: number
  /** How long the whole blob is; whatever stands between us and the relay may not tell. */
  total: number | undefined
  /** Each of its pieces holds only until the next one is asked for. */
  body: AsyncIterable<Uint8Array>
}

/**
 * A lost connection and a relay that is busy are `relay-unreachable`: worth another try. A blob that is not there is
 * `blob-unknown`, a relay whose disk is full `relay-full`. What `body` throws comes out as it is.
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
