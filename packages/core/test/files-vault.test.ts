// The folder in which files are kept: how much, how long, and a full disk.
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BlobId, blobIdFromBytes } from '@postern/protocol'
import { ManualClock } from '@postern/testkit'
import { test } from '@postern/testkit/fixtures'
import { describe, expect, onTestFinished } from 'vitest'
import { nodeFileCipher } from '../src/files/cipher/file-cipher-node.ts'
import { Files } from '../src/files/files.ts'
import { connectNodeBlobs } from '../src/files/transport/blob-transport-node.ts'
import type { FileVault, VaultName } from '../src/files/vault/file-vault.ts'
import { openNodeFileVault } from '../src/files/vault/file-vault-node.ts'
import {
  CHUNK,
  coded,
  fedSource,
  fetched,
  filesOf,
  LONG,
  nothingLeft,
  piecesOf,
  randomFile,
  share,
  vaultFiles,
  wholeOf,
} from './files-world.ts'

function temporary(): string {
  const directory = mkdtempSync(join(tmpdir(), 'vault-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

const clock = new ManualClock()
const vaultIn = (directory: string, bytesMax = 1000): Promise<FileVault> =>
  openNodeFileVault({ directory: join(directory, 'files'), bytesMax, clock })

async function put(vault: FileVault, bytes: Uint8Array): Promise<VaultName> {
  clock.advance(1000)
  const name = { blob: blobIdFromBytes(randomFile(16)), digest: randomFile(32) }
  const part = await vault.createPart()
  await part.write(bytes, 0)
  await part.keep(name)
  await part.release()
  await use(vault, name)
  return name
}

async function use(vault: FileVault, name: VaultName): Promise<void> {
  clock.advance(1000)
  await (await vault.open(name))?.close()
}

const kept = (vault: FileVault, names: VaultName[]): boolean[] => names.map(name => vault.lengthOf(name) !== undefined)

const bytesIn = (directory: string): number =>
  vaultFiles({ directory }).reduce((sum, file) => sum + statSync(file).size, 0)

/** As if the folder were alone on a disk of this size. */
const openOnDisk =
  (directory: string, diskBytes: number): typeof open =>
  async (...opening) => {
    const handle = await open(...opening)
    const write = handle.write.bind(handle)
    const bounded = async (bytes: Uint8Array, ...[from, length, at]: number[]) => {
      if (bytesIn(directory) + bytes.length > diskBytes) throw Object.assign(new Error('full'), { code: 'ENOSPC' })
      return await write(bytes, from, length, at)
    }
    return Object.assign(handle, { write: bounded })
  }

describe('how much is kept', () => {
  test('[CORE-13.13] the least recently used makes room, also over a restart', async () => {
    const directory = temporary()
    const vault = await vaultIn(directory)
    const [a, b, c] = [
      await put(vault, randomFile(400)),
      await put(vault, randomFile(400)),
      await put(vault, randomFile(200)),
    ]
    expect(kept(vault, [a, b, c])).toEqual([true, true, true])
    await use(vault, a)
    const d = await put(vault, randomFile(100))
    expect(kept(vault, [a, b, c, d])).toEqual([true, false, true, true])
    await use(vault, c)
    await use(vault, d)
    const again = await vaultIn(directory, 1000)
    const e = await put(again, randomFile(500))
    expect(kept(again, [a, b, c, d, e])).toEqual([false, false, true, true, true])
    expect(vaultFiles({ directory })).toHaveLength(3)
    const smaller = await vaultIn(directory, 550)
    expect(kept(smaller, [c, d, e])).toEqual([false, false, true])
  })

  test('[CORE-13.13] what is being read stays, and what is removed meanwhile is read to its end', async () => {
    const vault = await vaultIn(temporary())
    const bytes = randomFile(600)
    const a = await put(vault, bytes)
    const reader = await vault.open(a)
    const b = await put(vault, randomFile(600))
    expect(kept(vault, [a, b])).toEqual([true, true])
    await vault.remove(a.blob)
    const read = new Uint8Array(700)
    expect(await reader?.read(read, 0)).toBe(600)
    expect(Buffer.compare(read.subarray(0, 600), bytes)).toBe(0)
    await reader?.close()
    expect(kept(vault, [a, b])).toEqual([false, true])
  })

  test('[CORE-13.13] a file that is larger than all room is there until the next one comes', async () => {
    const vault = await vaultIn(temporary(), 100)
    const a = await put(vault, randomFile(600))
    expect(kept(vault, [a])).toEqual([true])
    const b = await put(vault, randomFile(10))
    expect(kept(vault, [a, b])).toEqual([false, true])
  })

  test('[CORE-13.21] takes no more of the disk than it leaves free, also when others fill it', async () => {
    const directory = temporary()
    let othersBytes = 0
    const diskFreeBytes = async () => 1000 - othersBytes - bytesIn(directory)
    const vault = await openNodeFileVault({
      directory: join(directory, 'files'),
      bytesMax: 10_000,
      clock,
      diskFreeBytes,
    })
    const names: VaultName[] = []
    for (let count = 0; count < 6; count++) names.push(await put(vault, randomFile(100)))
    expect(kept(vault, names)).toEqual([false, true, true, true, true, true])
    othersBytes = 700
    await vault.makeRoom()
    expect(kept(vault, names)).toEqual([false, false, false, false, false, true])
  })

  test('[CORE-13.21] a full disk takes from it, the least recently used first, and not what is being read', async () => {
    const directory = temporary()
    const openFile = openOnDisk(directory, 1000)
    const vault = await openNodeFileVault({ directory: join(directory, 'files'), bytesMax: 10_000, clock, openFile })
    const [a, b, c] = [
      await put(vault, randomFile(300)),
      await put(vault, randomFile(300)),
      await put(vault, randomFile(300)),
    ]
    const reader = await vault.open(a)
    const part = await vault.createPart()
    await part.write(randomFile(350), 0)
    expect(kept(vault, [a, b, c])).toEqual([true, false, true])
    await expect(part.write(randomFile(400), 350)).rejects.toSatisfy(coded('storage-full'))
    expect(kept(vault, [a, b, c])).toEqual([true, false, false])
    await reader?.close()
    await part.release()
  })

  test('[CORE-13.13] a client with little room has every file all the same', async ({ world, alice }) => {
    const bob = await world.person('bob', { fileCacheBytesMax: 1_000_000 })
    const files = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const bytes = randomFile(600_000)
        return { bytes, stored: await share(alice, bytes) }
      }),
    )
    const opened = await Promise.all(files.map(({ stored }) => filesOf(bob).open(stored, LONG)))
    for (const [at, file] of opened.entries())
      expect(Buffer.compare(await wholeOf(file.read()), files[at]?.bytes as Uint8Array)).toBe(0)
    expect(vaultFiles(bob)).toHaveLength(1)
  })
})

describe('the folder', () => {
  test('[CORE-13.14] no message names a file elsewhere', async () => {
    const vault = await vaultIn(temporary())
    const name = { blob: '../../etc/passwd' as BlobId, digest: randomFile(32) }
    expect(() => vault.lengthOf(name)).toThrow()
    await expect(vault.open(name)).rejects.toSatisfy(coded('file-damaged'))
    const part = await vault.createPart()
    await expect(part.keep(name)).rejects.toThrow()
    await part.release()
  })

  test('[CORE-13.14] is for nobody else', async () => {
    const directory = temporary()
    const vault = await vaultIn(directory)
    await put(vault, randomFile(10))
    expect(statSync(join(directory, 'files')).mode & 0o777).toBe(0o700)
    for (const file of vaultFiles({ directory })) expect(statSync(file).mode & 0o777).toBe(0o600)
  })
})

describe('a folder that somebody deleted', () => {
  test('[CORE-13.23] is made again, for its owner only, and what it held is fetched again', async ({ alice, bob }) => {
    const [bytes, other] = [randomFile(600_000), randomFile(1000)]
    const stored = await share(alice, bytes)
    const opened = await filesOf(bob).open(stored, LONG)
    const folder = join(bob.directory, 'files')
    rmSync(folder, { recursive: true })
    expect(Buffer.compare(await wholeOf(opened.read()), bytes)).toBe(0)
    expect([statSync(folder).mode & 0o777, vaultFiles(bob).length]).toEqual([0o700, 1])
    rmSync(folder, { recursive: true })
    const shared = await share(bob, other)
    expect([statSync(folder).mode & 0o777, vaultFiles(bob).length]).toEqual([0o700, 1])
    expect(Buffer.compare(await fetched(alice, shared), other)).toBe(0)
    expect(Buffer.compare(await fetched(bob, stored), bytes)).toBe(0)
  })

  test('[CORE-13.23] keeps nobody from ending what was on its way', async ({ alice, bob }) => {
    const bytes = randomFile(600_000)
    const spool = await filesOf(alice).spool(piecesOf(bytes), { uploads: 'later' })
    rmSync(join(alice.directory, 'files'), { recursive: true })
    const stored = await spool.uploaded()
    expect(Buffer.compare(await wholeOf(spool.read()), bytes)).toBe(0)
    expect(Buffer.compare(await fetched(bob, stored), bytes)).toBe(0)
    expect(Buffer.compare(await fetched(alice, stored), bytes)).toBe(0)
    await spool.release()
  })

  test('[CORE-13.23] with the data directory around it, it is not made again', async () => {
    const directory = temporary()
    const vault = await vaultIn(join(directory, 'data'))
    rmSync(join(directory, 'data'), { recursive: true })
    await expect(vault.createPart()).rejects.toSatisfy(coded('storage-failed'))
    expect(existsSync(join(directory, 'data'))).toBe(false)
  })
})

describe('a disk that is full', () => {
  test('[CORE-13.15] refuses uploads and downloads as storage-full, and leaves nothing', async ({
    world,
    alice,
    bob,
  }) => {
    const stored = await share(alice, randomFile(100_000))
    const directory = temporary()
    let made = 0
    // The kernel's device that is always full.
    const vault = await openNodeFileVault({
      directory: join(directory, 'files'),
      bytesMax: 1e9,
      clock,
      openFile: async (path, flags, mode) => {
        made += 1
        await (await open(path, flags, mode)).close()
        return await open('/dev/full', 'r+')
      },
    })
    const core = bob.client['core']
    const full = new Files({
      ...core,
      vault,
      blobs: connectNodeBlobs(world.relayUrl),
      cipher: nodeFileCipher,
      randomBytes: randomFile,
      waitingBlobs: () => [],
    })
    await expect(full.open(stored, LONG)).rejects.toSatisfy(coded('storage-full'))
    await expect(full.spool(piecesOf(randomFile(100_000)), { uploads: 'now' })).rejects.toSatisfy(coded('storage-full'))
    expect([made, vaultFiles({ directory }).length]).toEqual([2, 0])
    expect(Buffer.compare(await fetched(bob, stored), await fetched(alice, stored))).toBe(0)
  })

  test('[CORE-13.25] ends an upload of which the relay has more than the disk, and leaves nothing of it', async ({
    world,
    bob,
  }) => {
    const directory = temporary()
    const openFile = openOnDisk(directory, 5 * CHUNK)
    const vault = await openNodeFileVault({ directory: join(directory, 'files'), bytesMax: 1e9, clock, openFile })
    const files = new Files({
      ...bob.client['core'],
      vault,
      blobs: connectNodeBlobs(world.relayUrl),
      cipher: nodeFileCipher,
      randomBytes: randomFile,
      waitingBlobs: () => [],
    })
    const { source, feed, end } = fedSource()
    const sent: number[] = []
    const taking = files.spool(source, { uploads: 'now', onSent: bytes => void sent.push(bytes) })
    taking.catch(() => undefined)
    feed(randomFile(4 * CHUNK))
    await expect.poll(() => sent.at(-1) ?? 0).toBeGreaterThan(3 * CHUNK)
    // Too much for the disk, and sent all the same until that is noticed.
    feed(randomFile(4 * CHUNK))
    await expect.poll(() => sent.at(-1) ?? 0).toBeGreaterThan(5 * CHUNK)
    end()
    await expect(taking).rejects.toSatisfy(coded('storage-full'))
    expect(vaultFiles({ directory })).toEqual([])
    await nothingLeft(world, bob)
  })
})
