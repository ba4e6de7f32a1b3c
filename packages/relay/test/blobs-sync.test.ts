// Blobs on a disk that reports once that it has not stored the data.
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BLOB_ID_BYTES, blobIdFromBytes, isCoded, relayFixedLimits } from '@postern/protocol'
import { test as base, expect } from 'vitest'
import { FileBlobStore } from '../src/blobs/file-blob-store.ts'

const BLOB = blobIdFromBytes(new Uint8Array(BLOB_ID_BYTES).fill(7))
const PIECE = 1024 * 1024
const LENGTH_MAX = 100 * PIECE
/** An unlimited disk. */
const room = { spend: () => undefined }

class FailingDisk {
  /** The next sync of this kind fails; later ones succeed, as with a real kernel. */
  fails: 'datasync' | 'sync' | undefined
  syncs = 0

  readonly openFile = (async (...given: Parameters<typeof open>) => {
    const handle = await open(...given)
    for (const kind of ['datasync', 'sync'] as const) handle[kind] = this.#sync(handle, kind)
    return handle
  }) as typeof open

  #sync(handle: FileHandle, kind: 'datasync' | 'sync'): () => Promise<void> {
    const real = handle[kind].bind(handle)
    return async () => {
      this.syncs += 1
      if (this.fails !== kind) return await real()
      this.fails = undefined
      throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' })
    }
  }
}

const test = base
  .extend('disk', () => new FailingDisk())
  .extend('store', async ({ disk }, { onCleanup }) => {
    const directory = await mkdtemp(join(tmpdir(), 'postern-blobs-sync-'))
    onCleanup(() => rm(directory, { recursive: true }))
    return new FileBlobStore(join(directory, 'blobs'), disk)
  })

async function* pieces(count: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < count; at++) yield new Uint8Array(PIECE).fill(at + 1)
}

const MANY = relayFixedLimits.blobSyncAfterBytes / PIECE + 5

test('[RELAY-3.15] a large piece is synced on its way, and at its end', async ({ disk, store }) => {
  await store.append(BLOB, pieces(1), { offset: 0, lengthMax: LENGTH_MAX, isLast: false, room })
  expect(disk.syncs).toBe(1)
  await store.append(BLOB, pieces(MANY), { offset: PIECE, lengthMax: LENGTH_MAX, isLast: false, room })
  expect(disk.syncs).toBe(3)
})

test.for(['datasync', 'sync'] as const)(
  '[RELAY-3.15] a piece whose %s fails has to be sent again',
  async (kind, { disk, store }) => {
    await store.append(BLOB, pieces(1), { offset: 0, lengthMax: LENGTH_MAX, isLast: false, room })
    disk.fails = kind
    const refused = store.append(BLOB, pieces(MANY), { offset: PIECE, lengthMax: LENGTH_MAX, isLast: false, room })
    await expect(refused).rejects.toSatisfy(error => isCoded(error, 'storage-failed'))
    expect(await store.length(BLOB)).toBe(PIECE)
    const again = await store.append(BLOB, pieces(MANY), { offset: PIECE, lengthMax: LENGTH_MAX, isLast: false, room })
    expect(again).toEqual({ length: (1 + MANY) * PIECE, kind: 'whole' })
    const marks: number[] = []
    for await (const bytes of (await store.read(BLOB, { start: 0, end: again.length - 1 })) ?? [])
      if (marks.at(-1) !== bytes[0]) marks.push(bytes[0] ?? 0)
    expect(marks).toEqual(
      [1, ...Array.from({ length: MANY }, (_, at) => at + 1)].filter((mark, at, all) => mark !== all[at - 1]),
    )
  },
)
