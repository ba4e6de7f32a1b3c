// The connection of a client's blobs to the relay, under a test's control: it counts, cuts and changes transfers.
import { CodedError } from '@postern/protocol'
import type {
  BlobTransport,
  BlobTransportFactory,
  Download,
  UploadPiece,
  UploadStanding,
} from '../src/files/transport/blob-transport.ts'
import { connectNodeBlobs } from '../src/files/transport/blob-transport-node.ts'

type Bytes = AsyncIterable<Uint8Array>

export class BlobWire {
  isCut = false
  uploads = 0
  downloads = 0
  /** The position at which each download began. */
  readonly from: number[] = []
  changeUpload: (body: Bytes) => Bytes = body => body
  changeStanding: (standing: UploadStanding) => UploadStanding = standing => standing
  changeDownload: (download: Download) => Download | Promise<Download> = download => download

  readonly connect: BlobTransportFactory = relayUrl => {
    const real = connectNodeBlobs(relayUrl)
    const bent: BlobTransport = {
      upload: async (ticket, piece: UploadPiece) => {
        this.uploads += 1
        this.#assertWhole()
        return this.changeStanding(await real.upload(ticket, { ...piece, body: this.changeUpload(piece.body) }))
      },
      standing: async (ticket, signal) => {
        this.#assertWhole()
        return this.changeStanding(await real.standing(ticket, signal))
      },
      download: async (blob, wanted) => {
        this.downloads += 1
        this.from.push(wanted.from)
        this.#assertWhole()
        return await this.changeDownload(await real.download(blob, wanted))
      },
      close: () => real.close(),
    }
    return bent
  }

  #assertWhole(): void {
    if (this.isCut) throw new CodedError('relay-unreachable')
  }
}

/** Breaks off after this number of bytes. */
export async function* breakingOff(body: Bytes, afterBytes: number): Bytes {
  let left = afterBytes
  for await (const bytes of body) {
    if (bytes.length >= left) {
      yield bytes.subarray(0, left)
      throw new CodedError('relay-unreachable')
    }
    left -= bytes.length
    yield bytes
  }
}
