// Files that wait here until they are sent: across kills, on a full disk, and on another device.
import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestPerson } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { test } from './files-fixtures.ts'
import { CHUNK, coded, fedSource, filesOf, piecesOf, randomFile, vaultFiles, wholeOf } from './files-world.ts'

const readBack = async (person: TestPerson, name: string): Promise<Buffer> =>
  await wholeOf(person.client.files.readStowed(name))

describe('a stowed file', () => {
  test('[CORE-13.24] is read again after a kill, byte for byte, and never lies in clear', async ({
    world,
    personWith,
  }) => {
    const alice = await personWith()
    const bytes = Buffer.from('a word that nobody may read '.repeat(30_000))
    await alice.client.files.stow('letter', piecesOf(bytes))
    const [file = ''] = vaultFiles(alice)
    expect(readFileSync(file).includes('nobody may read')).toBe(false)
    // The disk as a killed process leaves it.
    const directory = join(world.directory, 'killed')
    cpSync(alice.directory, directory, { recursive: true })
    await world.close(alice)
    const again = await personWith({ directory })
    await filesOf(again).tidy()
    expect(again.client.files.stowedNames()).toEqual(['letter'])
    expect(Buffer.compare(await readBack(again, 'letter'), bytes)).toBe(0)
    await again.client.files.dropStowed('letter')
    expect([again.client.files.stowedNames(), vaultFiles(again)]).toEqual([[], []])
  })

  test('[CORE-13.24] of which only a part came leaves nothing, whether its source failed, was ended or was killed', async ({
    world,
    personWith,
  }) => {
    const alice = await personWith()
    const failing = fedSource()
    const failed = alice.client.files.stow('one', failing.source)
    failing.feed(randomFile(2 * CHUNK))
    failing.fail(new Error('gone'))
    await expect(failed).rejects.toThrow('gone')
    const end = new AbortController()
    const ended = alice.client.files.stow('two', fedSource().source, { signal: end.signal })
    end.abort(new Error('thought better of it'))
    await expect(ended).rejects.toThrow('thought better of it')
    await expect(alice.client.files.stow('three', piecesOf(randomFile(11)), { bytesHint: 10 })).rejects.toSatisfy(
      coded('too-large'),
    )
    expect([alice.client.files.stowedNames(), vaultFiles(alice)]).toEqual([[], []])
    const { source, feed } = fedSource()
    const stowing = alice.client.files.stow('four', source)
    stowing.catch(() => undefined)
    feed(randomFile(3 * CHUNK))
    await expect.poll(() => vaultFiles(alice).length).toBe(1)
    const directory = join(world.directory, 'killed')
    cpSync(alice.directory, directory, { recursive: true })
    await Promise.all([expect(stowing).rejects.toSatisfy(coded('stopping')), world.close(alice)])
    expect(vaultFiles(alice)).toEqual([])
    // Killed at the moment between the disk and the database.
    writeFileSync(join(directory, 'files', 'abcdefgh.stowed'), randomFile(100))
    const again = await personWith({ directory })
    await filesOf(again).tidy()
    expect([again.client.files.stowedNames(), vaultFiles(again)]).toEqual([[], []])
  })

  test('[CORE-13.24] takes the place of the one before it under its name', async ({ personWith }) => {
    const alice = await personWith()
    const [before, after] = [randomFile(CHUNK + 1), randomFile(10)]
    await Promise.all([
      alice.client.files.stow('one', piecesOf(before)),
      alice.client.files.dropStowed('one'),
      alice.client.files.stow('one', piecesOf(before)),
      alice.client.files.stow('one', piecesOf(after)),
    ])
    expect(Buffer.compare(await readBack(alice, 'one'), after)).toBe(0)
    expect(vaultFiles(alice)).toHaveLength(1)
  })

  test('[CORE-13.24] that is damaged, cut off or not on this device is gone, and no byte of it is wrong', async ({
    personWith,
  }) => {
    const alice = await personWith()
    const bytes = randomFile(CHUNK + 1000)
    await alice.client.files.stow('one', piecesOf(bytes))
    const [file = ''] = vaultFiles(alice)
    const whole = readFileSync(file)
    const turned = Buffer.from(whole)
    turned[5] = (turned[5] ?? 0) ^ 1
    writeFileSync(file, turned)
    await expect(readBack(alice, 'one')).rejects.toSatisfy(coded('file-gone'))
    writeFileSync(file, whole)
    truncateSync(file, whole.length - 1)
    await expect(readBack(alice, 'one')).rejects.toSatisfy(coded('file-gone'))
    rmSync(file)
    await expect(readBack(alice, 'one')).rejects.toSatisfy(coded('file-gone'))
    await expect(readBack(alice, 'never')).rejects.toSatisfy(coded('file-gone'))
    await alice.client.files.dropStowed('one')
    expect(alice.client.files.stowedNames()).toEqual([])
  })
})
