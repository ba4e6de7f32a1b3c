// Files that were fetched before: read without the relay, checked again, and gone with their message.
import { readFileSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs'
import { type Person, World } from '@postern/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { StoredFile } from '../src/files/files.ts'
import { BlobWire } from './blob-wire.ts'
import { CHUNK, coded, fetched, filesOf, LONG, randomFile, relayFiles, share, vaultFiles } from './files-world.ts'

const SIZE = 2 * CHUNK + 5000

let world: World
let wire: BlobWire
let alice: Person
let bob: Person
let bytes: Uint8Array
let stored: StoredFile

beforeEach(async () => {
  world = await World.start()
  wire = new BlobWire()
  alice = await world.person('alice')
  bob = await world.person('bob', { connectBlobs: wire.connect })
  bytes = randomFile(SIZE)
  stored = await share(alice, bytes)
})
afterEach(async () => {
  await world.stop()
})

const open = (file = stored) => filesOf(bob).open(file, LONG)
const isWhole = async () => Buffer.compare(await fetched(bob, stored), bytes) === 0

describe('what is kept', () => {
  const keptFile = (): string => vaultFiles(bob)[0] as string

  test('[CORE-13.12] is read again without the relay', async () => {
    expect(await isWhole()).toBe(true)
    await world.stopRelay()
    expect(await isWhole()).toBe(true)
    await world.startRelay()
  })

  test('[CORE-13.12] damaged on disk, it is an error and no wrong bytes, and comes from the relay the next time', async () => {
    expect(await isWhole()).toBe(true)
    const kept = readFileSync(keptFile())
    kept[CHUNK + 1000] = (kept[CHUNK + 1000] ?? 0) ^ 4
    writeFileSync(keptFile(), kept)
    const seen: Uint8Array[] = []
    const reading = async () => {
      for await (const piece of (await open()).read()) seen.push(piece)
    }
    await expect(reading()).rejects.toSatisfy(coded('file-damaged'))
    expect(Buffer.compare(Buffer.concat(seen), bytes.subarray(0, CHUNK))).toBe(0)
    expect(vaultFiles(bob)).toEqual([])
    expect(await isWhole()).toBe(true)
    expect(wire.downloads).toBe(2)
  })

  test('[CORE-13.12] cut off by a power failure, or removed by hand, it is fetched again', async () => {
    expect(await isWhole()).toBe(true)
    truncateSync(keptFile(), 1000)
    await world.close(bob)
    bob = await world.person('bob', { connectBlobs: wire.connect })
    expect(await isWhole()).toBe(true)
    expect(wire.downloads).toBe(2)
    unlinkSync(keptFile())
    expect(await isWhole()).toBe(true)
  })

  test('[CORE-13.16] goes with the message that was erased; the relay deletes it for its owner', async () => {
    expect(await isWhole()).toBe(true)
    const bury = async (person: Person, own: number) => {
      const { store } = person.client['core']
      await store.write(database => database.run('INSERT INTO dead_file VALUES (?, ?)', stored.blob, own))
      await filesOf(person).tidy()
      expect(store.all('SELECT * FROM dead_file')).toEqual([])
    }
    await bury(bob, 0)
    expect([vaultFiles(bob).length, relayFiles(world).length]).toEqual([0, 1])
    await bury(alice, 1)
    expect([vaultFiles(alice).length, relayFiles(world).length]).toEqual([0, 0])
    await bury(alice, 1)
  })

  test('[CORE-13.16] while the relay is away it waits', async () => {
    const { store } = alice.client['core']
    await world.stopRelay()
    await store.write(database => database.run('INSERT INTO dead_file VALUES (?, 1)', stored.blob))
    await expect(filesOf(alice).tidy()).rejects.toSatisfy(coded('relay-unreachable'))
    await world.startRelay()
    await expect.poll(() => relayFiles(world).length).toBe(0)
    expect(vaultFiles(alice)).toEqual([])
  })
})
