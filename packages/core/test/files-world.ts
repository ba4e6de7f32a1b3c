// Helpers for tests of files: sources, results, and the contents of the folders of a client and of the relay.
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type ErrorCode, isCoded } from '@postern/protocol'
import type { TestPerson, World } from '@postern/testkit'
import { expect } from 'vitest'
import type { Files, StoredFile } from '../src/files/files.ts'

export const CHUNK = 256 * 1024
export const LONG = { timeoutMs: 60_000 }

export const filesOf = (person: TestPerson): Files => person.client['core'].files
const storeOf = (person: TestPerson) => person.client['core'].store

export const sha256 = (bytes: Uint8Array): Uint8Array => new Uint8Array(createHash('sha256').update(bytes).digest())

/** In pieces whose borders are not those of chunks. */
export async function* piecesOf(bytes: Uint8Array, pieceBytes = 100_003): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}

/** A source that a test feeds. */
export function fedSource() {
  const waiting: { bytes?: Uint8Array; error?: Error }[] = []
  let wake = () => {}
  async function* read(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const next = waiting.shift()
      if (next?.error) throw next.error
      if (next?.bytes) yield next.bytes
      else if (next) return
      else await new Promise<void>(resolve => (wake = resolve))
    }
  }
  const push = (next: { bytes?: Uint8Array; error?: Error }) => {
    waiting.push(next)
    wake()
  }
  return {
    source: read(),
    feed: (bytes: Uint8Array) => push({ bytes }),
    fail: (error: Error) => push({ error }),
    end: () => push({}),
  }
}

export async function wholeOf(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece)
  return Buffer.concat(all)
}

/** Spooled, uploaded, and sent as far as the files can tell: the note about the upload is gone. */
export async function share(person: TestPerson, bytes: Uint8Array): Promise<StoredFile> {
  const spool = await filesOf(person).spool(piecesOf(bytes), { uploads: 'now' })
  const stored = await spool.uploaded()
  await storeOf(person).write(database => database.run('DELETE FROM upload WHERE blob_id = ?', stored.blob))
  await spool.release()
  return stored
}

export async function fetched(person: TestPerson, file: StoredFile): Promise<Buffer> {
  return await wholeOf((await filesOf(person).open(file, LONG)).read())
}

const filesIn = (directory: string): string[] =>
  existsSync(directory)
    ? readdirSync(directory, { recursive: true, withFileTypes: true })
        .filter(entry => entry.isFile())
        .map(entry => join(entry.parentPath, entry.name))
    : []

export const vaultFiles = (person: { directory: string }): string[] => filesIn(join(person.directory, 'files'))
export const relayFiles = (world: World): string[] => filesIn(join(world.directory, 'relay', 'blobs'))
export const uploadRows = (person: TestPerson): string[] =>
  storeOf(person)
    .all<{ blob_id: string }>('SELECT blob_id FROM upload')
    .map(row => row.blob_id)

export const left = (world: World, person: TestPerson) => ({
  rows: uploadRows(person),
  files: vaultFiles(person),
  blobs: relayFiles(world),
})
export const NOTHING = { rows: [], files: [], blobs: [] }

/** Waits until the relay has begun to write it. */
export async function atRelay(world: World): Promise<void> {
  await expect.poll(() => relayFiles(world).length).toBe(1)
}

export async function nothingLeft(world: World, person: TestPerson): Promise<void> {
  await expect.poll(() => left(world, person)).toEqual(NOTHING)
}

export const coded = (code: ErrorCode) => (error: unknown) => isCoded(error, code)

export const randomFile = (size: number): Uint8Array => new Uint8Array(randomBytes(size))
