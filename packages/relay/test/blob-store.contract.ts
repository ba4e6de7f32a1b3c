// The contract of every BlobStore, tested through the interface alone.
import { randomBytes } from 'node:crypto'
import { type BlobId, CodedError, isCoded } from '@postern/protocol'
import { describe, expect, test } from 'vitest'
import type { AppendResult, BlobStore } from '../src/blobs/blob-store.ts'

export type OpenedBlobs = {
  /** The same place, opened by two relays. */
  blobs: BlobStore
  other: BlobStore
  begin(size: number): Promise<BlobId>
  finish(blob: BlobId, size: number): Promise<void>
  forget(blob: BlobId): Promise<void>
}

/** More than two parts of an object store. */
const LARGE = 19 * 1024 * 1024
const endless = { spend: () => undefined }

async function* inChunks(bytes: Uint8Array, chunk = 300_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += chunk) yield bytes.slice(at, at + chunk)
}

async function* broken(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield* inChunks(bytes)
  throw new Error('cut off')
}

type Sent = { offset?: number; isLast?: boolean; body?: AsyncIterable<Uint8Array> }

class Writer {
  readonly opened: OpenedBlobs
  readonly blob: BlobId
  readonly bytes: Buffer

  private constructor(opened: OpenedBlobs, blob: BlobId, bytes: Buffer) {
    this.opened = opened
    this.blob = blob
    this.bytes = bytes
  }

  static async begin(opened: OpenedBlobs, size: number): Promise<Writer> {
    return new Writer(opened, await opened.begin(size), randomBytes(size))
  }

  async send(
    length: number,
    { offset = 0, isLast = false, body }: Sent = {},
    by = this.opened.blobs,
  ): Promise<AppendResult> {
    const sent = body ?? inChunks(this.bytes.subarray(offset, offset + length))
    const appended = await by.append(this.blob, sent, { offset, lengthMax: this.bytes.length, isLast, room: endless })
    if (appended.kind === 'complete') await this.opened.finish(this.blob, appended.length)
    return appended
  }

  async complete(by = this.opened.blobs): Promise<void> {
    expect(await by.complete(this.blob, this.bytes.length)).toBe('complete')
    await this.opened.finish(this.blob, this.bytes.length)
  }

  async read(start = 0, end = this.bytes.length - 1): Promise<Buffer> {
    const pieces: Buffer[] = []
    for await (const piece of (await this.opened.other.read(this.blob, { start, end })) ?? [])
      pieces.push(Buffer.from(piece))
    return Buffer.concat(pieces)
  }

  async isThere(): Promise<boolean> {
    return (await this.read()).equals(this.bytes)
  }
}

export function blobStoreContract(name: string, open: () => Promise<OpenedBlobs>): void {
  describe(`blobs in ${name}`, () => {
    test.for([1, 100_000, 8 * 1024 * 1024, LARGE])('[RELAY-8.1] %i bytes in one go, and read in ranges', async size => {
      const sent = await Writer.begin(await open(), size)
      const appended = await sent.send(size, { isLast: true })
      expect(appended).toMatchObject({ length: size })
      if (appended.kind !== 'complete') await sent.complete()
      expect(await sent.isThere()).toBe(true)
      const [from, to] = [Math.floor(size / 3), Math.floor((2 * size) / 3)]
      expect((await sent.read(from, to)).equals(sent.bytes.subarray(from, to + 1))).toBe(true)
    })

    test('[RELAY-8.1] piece by piece, small and large, each where the last one ended', async () => {
      const sent = await Writer.begin(await open(), LARGE)
      const sizes = [1, 70_000, 262_144, 5_000_000, 9_000_000, 3, 0]
      let offset = 0
      for (const size of sizes) {
        expect(await sent.send(size, { offset })).toEqual({ kind: 'whole', length: offset + size })
        offset += size
        expect(await sent.opened.other.length(sent.blob)).toBe(offset)
      }
      const last = await sent.send(LARGE - offset, { offset })
      expect(last.length).toBe(LARGE)
      if (last.kind !== 'complete') await sent.complete()
      expect(await sent.isThere()).toBe(true)
    })

    test('[RELAY-8.1] a small one in many pieces', async () => {
      const sent = await Writer.begin(await open(), 410)
      for (let offset = 0; offset < 400; offset += 10) await sent.send(10, { offset })
      const last = await sent.send(10, { offset: 400, isLast: true })
      if (last.kind !== 'complete') await sent.complete()
      expect(await sent.isThere()).toBe(true)
    })

    test('[RELAY-8.1] too much is refused, and what is beyond the room; what came before stays', async () => {
      const sent = await Writer.begin(await open(), 1000)
      const room = { spend: (bytes: number) => (bytes > 100 ? new CodedError('storage-full') : undefined) }
      async function* growing() {
        yield sent.bytes.subarray(0, 90)
        yield sent.bytes.subarray(90, 400)
      }
      const full = sent.opened.blobs.append(sent.blob, growing(), { offset: 0, lengthMax: 1000, isLast: false, room })
      await expect(full).rejects.toSatisfy(error => isCoded(error, 'storage-full'))
      expect(await sent.opened.blobs.length(sent.blob)).toBe(90)
      await expect(sent.send(0, { offset: 90, body: inChunks(randomBytes(1000), 600) })).rejects.toMatchObject({
        code: 'too-large',
      })
      const length = await sent.opened.blobs.length(sent.blob)
      expect(length).toBe(690)
    })

    test('[RELAY-8.2] what broke off goes on where it ended, at another relay', async () => {
      const sent = await Writer.begin(await open(), LARGE)
      const { blobs, other } = sent.opened
      let offset = 0
      for (const [at, size] of [100, 8_388_608, 8_500_000].entries()) {
        const body = broken(sent.bytes.subarray(offset, offset + size))
        const appended = await sent.send(size, { offset, isLast: true, body }, at % 2 === 0 ? blobs : other)
        expect(appended).toEqual({ kind: 'broken', length: offset + size })
        offset += size
        expect(await blobs.length(sent.blob)).toBe(offset)
      }
      const last = await sent.send(LARGE - offset, { offset, isLast: true }, other)
      if (last.kind !== 'complete') await sent.complete(other)
      expect(await sent.isThere()).toBe(true)
    })

    test('[RELAY-8.2] a broken one that ended where it is can be completed', async () => {
      for (const size of [500, LARGE]) {
        const sent = await Writer.begin(await open(), size)
        await sent.send(size, { body: broken(sent.bytes) })
        await sent.complete(sent.opened.other)
        expect(await sent.isThere()).toBe(true)
      }
    })

    test('[RELAY-8.8] what is deleted is gone, complete or not', async () => {
      const opened = await open()
      for (const kept of [300, LARGE]) {
        for (const end of ['complete', 'unfinished'] as const) {
          const sent = await Writer.begin(opened, kept)
          const isWhole = end === 'complete'
          const { kind } = await sent.send(isWhole ? kept : kept - 1)
          if (isWhole && kind !== 'complete') await sent.complete()
          await opened.other.delete(sent.blob)
          await opened.forget(sent.blob)
          expect(await opened.blobs.read(sent.blob, { start: 0, end: 0 })).toBeUndefined()
          expect(await opened.blobs.length(sent.blob)).toBe(0)
          await opened.blobs.delete(sent.blob)
        }
      }
    })
  })
}

/** For places that several relays write to. */
export function sharedBlobsContract(name: string, open: () => Promise<OpenedBlobs>): void {
  describe(`blobs that relays share in ${name}`, () => {
    test('[RELAY-8.3] of two that write at one time the second is told, and nothing of the first is lost', async () => {
      for (const size of [5000, LARGE]) {
        const sent = await Writer.begin(await open(), size)
        const { blobs, other } = sent.opened
        const { promise: gate, resolve: openGate } = Promise.withResolvers<void>()
        const { promise: began, resolve: begins } = Promise.withResolvers<void>()
        async function* slow() {
          begins()
          yield sent.bytes.subarray(0, 10)
          await gate
          // In the file, these bytes would be at the end.
          yield* inChunks(sent.bytes.subarray(10, 100))
        }
        const first = sent.send(100, { body: slow() }, blobs)
        await began
        expect(await sent.send(size - 1, {}, other)).toEqual({ kind: 'whole', length: size - 1 })
        openGate()
        expect(await first).toEqual({ kind: 'overtaken', length: size - 1 })
        expect(await sent.send(10, { offset: 0 }, blobs)).toEqual({ kind: 'overtaken', length: size - 1 })
        const last = await sent.send(1, { offset: size - 1 }, blobs)
        if (last.kind !== 'complete') await sent.complete(blobs)
        expect(await sent.isThere()).toBe(true)
      }
    })

    test('[RELAY-8.3] and one that comes when it is complete', async () => {
      const sent = await Writer.begin(await open(), 5000)
      const { promise: gate, resolve: openGate } = Promise.withResolvers<void>()
      async function* slow() {
        await gate
        yield randomBytes(4000)
      }
      const late = sent.send(100, { body: slow() })
      const last = await sent.send(5000, { isLast: true }, sent.opened.other)
      if (last.kind !== 'complete') await sent.complete(sent.opened.other)
      openGate()
      expect((await late).kind).toBe('overtaken')
      expect(await sent.opened.blobs.complete(sent.blob, 5000)).toBe('overtaken')
    })
  })
}
