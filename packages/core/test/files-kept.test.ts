// Files that were fetched before: read without the relay, checked again, and gone with their message.
import { readFileSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs'
import { passTime, type TestPerson } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { testWithFile } from './files-fixtures.ts'
import { CHUNK, coded, fetched, filesOf, relayFiles, vaultFiles } from './files-world.ts'

const test = testWithFile
  .extend(
    'keptFile',
    ({ bob }) =>
      (person = bob): string =>
        vaultFiles(person)[0] as string,
  )
  .extend('spoil', ({ bob, keptFile }) => (at: number, person = bob): void => {
    const kept = readFileSync(keptFile(person))
    kept[at] = (kept[at] ?? 0) ^ 4
    writeFileSync(keptFile(person), kept)
  })

describe('what is kept', () => {
  test('[CORE-13.12] is read again without the relay', async ({ world, isWhole }) => {
    expect(await isWhole()).toBe(true)
    await world.stopRelay()
    expect(await isWhole()).toBe(true)
    await world.startRelay()
  })

  test.for([
    ['in its first chunk', 100],
    ['in a later chunk', CHUNK + 1000],
  ] as const)(
    '[CORE-13.12] damaged on disk %s, it comes from the relay again, without a wrong byte',
    async ([, at], { isWhole, spoil, wire }) => {
      expect(await isWhole()).toBe(true)
      spoil(at)
      expect(await isWhole()).toBe(true)
      expect(wire.downloads).toBe(2)
      expect(await isWhole()).toBe(true)
      expect(wire.downloads).toBe(2)
    },
  )

  test('[CORE-13.12] of a part that is damaged on disk the rest is read on behind what was given', async ({
    bytes,
    isWhole,
    open,
    spoil,
  }) => {
    expect(await isWhole()).toBe(true)
    spoil(CHUNK + 1000)
    const range = { start: 1000, end: CHUNK + 5000 }
    const seen: Uint8Array[] = []
    for await (const piece of (await open()).readBriefly(range)) seen.push(piece.slice())
    expect(Buffer.compare(Buffer.concat(seen), bytes.subarray(range.start, range.end + 1))).toBe(0)
  })

  test('[CORE-13.12] damaged on disk while the relay is away, it ends with an error and no wrong bytes', async ({
    world,
    clock,
    wire,
    bytes,
    stored,
    spoil,
  }) => {
    const carol = await world.person('carol', { clock, connectBlobs: wire.connect })
    await fetched(carol, stored)
    spoil(CHUNK + 1000, carol)
    wire.isCut = true
    const seen: Uint8Array[] = []
    const reading = async () => {
      for await (const piece of (await filesOf(carol).open(stored, { timeoutMs: 5000 })).read()) seen.push(piece)
    }
    await expect(passTime(clock, reading())).rejects.toSatisfy(coded('relay-unreachable'))
    expect(Buffer.compare(Buffer.concat(seen), bytes.subarray(0, CHUNK))).toBe(0)
  })

  test('[CORE-13.12] cut off by a power failure, or removed by hand, it is fetched again', async ({
    world,
    bob,
    isWhole,
    keptFile,
    wire,
  }) => {
    expect(await isWhole()).toBe(true)
    truncateSync(keptFile(), 1000)
    await world.close(bob)
    const again = await world.person('bob', { connectBlobs: wire.connect })
    expect(await isWhole(again)).toBe(true)
    expect(wire.downloads).toBe(2)
    unlinkSync(keptFile())
    expect(await isWhole(again)).toBe(true)
  })

  test('[CORE-13.16] goes with the message that was erased; the relay deletes it for its owner', async ({
    world,
    alice,
    bob,
    isWhole,
    stored,
  }) => {
    expect(await isWhole()).toBe(true)
    const bury = async (person: TestPerson, own: number) => {
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

  test('[CORE-13.16] while the relay is away it waits', async ({ world, alice, stored }) => {
    const { store } = alice.client['core']
    await world.stopRelay()
    await store.write(database => database.run('INSERT INTO dead_file VALUES (?, 1)', stored.blob))
    await expect(filesOf(alice).tidy()).rejects.toSatisfy(coded('relay-unreachable'))
    await world.startRelay()
    await expect.poll(() => relayFiles(world).length).toBe(0)
    expect(vaultFiles(alice)).toEqual([])
  })
})
