// The contract of every BlobTransport with a real relay:
// uploads in pieces, downloads from anywhere, and the right error codes.
import { blobIdFromBytes } from '@postern/protocol'
import { describe, expect, it } from 'vitest'
import type { BlobTransport, Download, UploadPiece, UploadTicket } from '../../src/files/transport/blob-transport.ts'

export type BlobPlace = {
  transport: BlobTransport
  /** An address where nothing listens. */
  lost: BlobTransport
  /** The right to an unwritten blob. */
  ticket(): UploadTicket
}

const never = () => new AbortController().signal

/** Bytes that depend on their position. */
function numbered(count: number): Uint8Array {
  const bytes = new Uint8Array(count)
  for (let at = 0; at < count; at++) bytes[at] = (at * 31 + (at >> 8)) & 0xff
  return bytes
}

/** In a reused buffer, as spools return them. */
async function* piecesOf(bytes: Uint8Array, pieceBytes = 100_003): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(pieceBytes)
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const piece = bytes.subarray(at, at + pieceBytes)
    buffer.set(piece)
    yield buffer.subarray(0, piece.length)
    buffer.fill(0)
  }
}

const whole = (bytes: Uint8Array, offset = 0): UploadPiece => ({
  offset,
  length: bytes.length - offset,
  body: piecesOf(bytes.subarray(offset)),
  signal: never(),
})

async function differsAt({ body }: Download, expected: Uint8Array): Promise<number | 'nowhere'> {
  let at = 0
  for await (const piece of body) {
    for (const byte of piece) if (byte !== expected[at++]) return at - 1
  }
  return at === expected.length ? 'nowhere' : at
}

export function describeBlobTransport(title: string, place: () => BlobPlace): void {
  describe(`blob transport ${title}`, () => {
    it('[CORE-24.1] brings megabytes up and down as they are', async () => {
      const { transport, ticket } = place()
      const [given, bytes] = [ticket(), numbered(3_000_017)]
      expect(await transport.upload(given, whole(bytes))).toEqual({ offset: bytes.length, isComplete: true })
      expect(await transport.standing(given, never())).toEqual({ offset: bytes.length, isComplete: true })
      const down = await transport.download(given.blob, { from: 0, signal: never() })
      expect({ start: down.start, total: down.total }).toEqual({ start: 0, total: bytes.length })
      expect(await differsAt(down, bytes)).toBe('nowhere')
    })

    it('[CORE-24.1] brings a blob whose length nobody knows, and one that ends where a piece ends', async () => {
      const { transport, ticket } = place()
      for (const size of [1, 256 * 1024, 768 * 1024]) {
        const [given, bytes] = [ticket(), numbered(size)]
        const standing = await transport.upload(given, { ...whole(bytes), length: undefined })
        expect(standing).toEqual({ offset: size, isComplete: true })
        const down = await transport.download(given.blob, { from: 0, signal: never() })
        expect(await differsAt(down, bytes)).toBe('nowhere')
      }
    })

    it('[CORE-24.1] reads on from the middle, and at the end there is nothing', async () => {
      const { transport, ticket } = place()
      const [given, bytes] = [ticket(), numbered(400_000)]
      await transport.upload(given, whole(bytes))
      const rest = await transport.download(given.blob, { from: 399_000, signal: never() })
      expect({ start: rest.start, total: rest.total }).toEqual({ start: 399_000, total: 400_000 })
      expect(await differsAt(rest, bytes.subarray(399_000))).toBe('nowhere')
      const end = await transport.download(given.blob, { from: 400_000, signal: never() })
      expect(end.total).toBe(400_000)
    })

    it('[CORE-24.1] is told where to go on when it begins elsewhere, and goes on there', async () => {
      const { transport, ticket } = place()
      const [given, bytes] = [ticket(), numbered(500_000)]
      expect((await transport.upload(given, whole(bytes, 1000))).offset).toBe(0)
      expect(await transport.standing(given, never())).toEqual({ offset: 0, isComplete: false })
      expect(await transport.upload(given, whole(bytes))).toEqual({ offset: 500_000, isComplete: true })
    })

    it('[CORE-24.1] what the source throws comes out as it is, and nothing is complete', async () => {
      const { transport, ticket } = place()
      const given = ticket()
      async function* failing(): AsyncGenerator<Uint8Array> {
        yield numbered(1000)
        throw Object.assign(new Error('the source'), { code: 'of the source' })
      }
      const upload = transport.upload(given, { offset: 0, length: undefined, body: failing(), signal: never() })
      await expect(upload).rejects.toMatchObject({ code: 'of the source' })
      expect((await transport.standing(given, never())).isComplete).toBe(false)
    })

    it('[CORE-24.1] names what is not there, and what may not be', async () => {
      const { transport, ticket } = place()
      const unknown = { blob: blobIdFromBytes(new Uint8Array(16)), token: ticket().token }
      const missing = { code: 'blob-unknown' }
      await expect(transport.download(unknown.blob, { from: 0, signal: never() })).rejects.toMatchObject(missing)
      await expect(transport.standing(unknown, never())).rejects.toMatchObject(missing)
      await expect(transport.upload(unknown, whole(numbered(10)))).rejects.toMatchObject(missing)
    })

    it('[CORE-24.1] a relay that does not answer, and one who gives up, is relay-unreachable', async () => {
      const { transport, lost, ticket } = place()
      const given = ticket()
      const unreachable = { code: 'relay-unreachable' }
      await expect(lost.download(given.blob, { from: 0, signal: never() })).rejects.toMatchObject(unreachable)
      await expect(lost.standing(given, never())).rejects.toMatchObject(unreachable)
      await expect(lost.upload(given, whole(numbered(10)))).rejects.toMatchObject(unreachable)
      const over = AbortSignal.abort()
      await expect(transport.standing(given, over)).rejects.toMatchObject(unreachable)
      await expect(transport.download(given.blob, { from: 0, signal: over })).rejects.toMatchObject(unreachable)
    })
  })
}
