// Blobs and files that no message names: removed, also after a kill.
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toBase32 } from '@postern/protocol'
import type { TestPerson } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { test } from './files-fixtures.ts'
import {
  atRelay,
  CHUNK,
  coded,
  fedSource,
  filesOf,
  left,
  NOTHING,
  nothingLeft,
  piecesOf,
  randomFile,
  relayFiles,
  uploadRows,
  vaultFiles,
} from './files-world.ts'

describe('what nobody sends', () => {
  const sent = async (alice: TestPerson) => {
    const spool = await filesOf(alice).spool(piecesOf(randomFile(700_000)), { uploads: 'now' })
    return { spool, stored: await spool.uploaded() }
  }

  test('[CORE-13.8] an uploaded file that is let go without a message is cleared away', async ({
    world,
    personWith,
  }) => {
    const alice = await personWith()
    const { spool } = await sent(alice)
    await filesOf(alice).tidy()
    expect([relayFiles(world).length, vaultFiles(alice).length]).toEqual([1, 1])
    await spool.release()
    await nothingLeft(world, alice)
  })

  test('[CORE-13.8] one whose message waits in the outbox stays', async ({ world, personWith }) => {
    const alice = await personWith()
    const { spool, stored } = await sent(alice)
    const { store } = alice.client['core']
    await store.write(database =>
      database.run(
        `INSERT INTO outbox (message_id, group_id, chat_id, wire, send_id, body) VALUES (?, ?, 'c', x'', 's', ?)`,
        toBase32(randomFile(20)),
        toBase32(randomFile(16)),
        JSON.stringify({ kind: 'file', blob: stored.blob }),
      ),
    )
    await spool.release()
    await filesOf(alice).tidy()
    expect([uploadRows(alice).length, relayFiles(world).length, vaultFiles(alice).length]).toEqual([1, 1, 1])
    await store.write(database => database.run('DELETE FROM outbox'))
    await filesOf(alice).tidy()
    expect(left(world, alice)).toEqual(NOTHING)
  })

  test('[CORE-13.8] a process that was killed leaves nothing after its next start', async ({ world, personWith }) => {
    const alice = await personWith()
    const { source, feed } = fedSource()
    const taking = filesOf(alice).spool(source, { uploads: 'now' })
    taking.catch(() => undefined)
    feed(randomFile(5 * CHUNK))
    await atRelay(world)
    await sent(alice)
    expect([uploadRows(alice).length, relayFiles(world).length]).toEqual([2, 2])
    // The disk as a killed process leaves it.
    const directory = join(world.directory, 'killed')
    cpSync(alice.directory, directory, { recursive: true })
    expect(vaultFiles({ directory }).map(file => file.split('.').at(-1))).toContain('part')
    await Promise.all([expect(taking).rejects.toSatisfy(coded('stopping')), world.close(alice)])
    const again = await personWith({ directory })
    await nothingLeft(world, again)
  })

  test('[CORE-13.18] stopping ends what is under way, and leaves no spool', async ({ world, personWith }) => {
    const alice = await personWith()
    const { source, feed } = fedSource()
    const taking = filesOf(alice).spool(source, { uploads: 'now' })
    feed(randomFile(5 * CHUNK))
    await atRelay(world)
    await Promise.all([expect(taking).rejects.toSatisfy(coded('stopping')), world.close(alice)])
    expect(vaultFiles(alice)).toEqual([])
    await expect(filesOf(alice).spool(source, { uploads: 'now' })).rejects.toSatisfy(coded('stopping'))
    await nothingLeft(world, await personWith())
  })

  test('[CORE-13.14] spools that were left are swept at the start, and nothing else', async ({ world, personWith }) => {
    const alice = await personWith()
    await world.close(alice)
    const folder = join(alice.directory, 'files')
    writeFileSync(join(folder, '7.part'), 'x')
    writeFileSync(join(folder, 'note'), 'x')
    await personWith()
    expect(vaultFiles(alice)).toEqual([join(folder, 'note')])
  })
})
