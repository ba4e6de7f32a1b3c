// A relay is backed up while it carries messages, deleted and restored: nobody loses a message that is sent afterwards.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { checkStoredRelay } from '@postern/relay'
import { type TestPerson, WITHIN, type World } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { unpackTar } from 'modern-tar'
import { expect } from 'vitest'
import { run } from './process.ts'

const dataOf = (world: World) => join(world.directory, 'relay')

/** Enough messages that a client that does not notice the restore would skip all of them. */
const SENT = 60

const test = base
  .extend('file', ({ world }) => join(world.directory, 'relay.tar'))
  .extend('backUp', ({ world, file }) => async () => {
    expect(await run(['backup', '--data', dataOf(world), '--to', file, '--plain'])).toMatchObject({
      code: 0,
    })
  })
  .extend('restore', ({ world, file }) => async () => {
    await world.stopRelay()
    rmSync(dataOf(world), { recursive: true })
    expect(await run(['restore', file, '--data', dataOf(world)])).toMatchObject({ code: 0 })
    await world.startRelay()
  })

async function sendFile(from: TestPerson, to: TestPerson, text: string): Promise<void> {
  const draft = await from.client.files.draft(once(Buffer.from(text)))
  await from.client.files.send(to.chatId, { draft, kind: 'file', name: 'file.txt', type: 'text/plain' }, WITHIN)
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

const blobsOf = (world: World): string[] =>
  readdirSync(join(dataOf(world), 'blobs'), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))

test('[CLI-5.9] a backup holds the blobs that are complete in its database and the invites, and nothing else', async ({
  world,
  alice,
  bob,
  file,
}) => {
  for (const text of ['one', 'two']) await sendFile(alice, bob, text)
  const [kept = '', deleted = ''] = blobsOf(world)
  unlinkSync(deleted)
  const stranger = join(dataOf(world), 'blobs', 'aa', basename(kept).replace(/^../, 'aa'))
  mkdirSync(dirname(stranger), { recursive: true })
  writeFileSync(stranger, 'bytes that no row names')
  await world.relayInvite()
  const { code, stdout } = await run(['backup', '--data', dataOf(world), '--to', file, '--plain', '--json'])
  expect([code, JSON.parse(stdout).done]).toMatchObject([0, { kind: 'relay', missing: 1, files: 4 }])
  const names = (await unpackTar(readFileSync(file), { strict: true })).map(({ header }) => header.name)
  const [invite] = readdirSync(join(dataOf(world), 'invites'))
  expect(names).toEqual([
    'manifest.json',
    'relay.db',
    `invites/${invite}`,
    relative(dataOf(world), kept),
    'SHA256SUMS-000001',
    'end.json',
  ])
  const restored = join(world.directory, 'restored')
  expect(await run(['restore', file, '--data', restored])).toMatchObject({ code: 0 })
  expect(readdirSync(restored).toSorted()).toEqual(['blobs', 'invites', 'relay.db'])
  expect(checkStoredRelay(restored).incarnation).not.toBe(JSON.parse(stdout).done.identity)
})

test('[CLI-5.9] who was away while the relay was restored gets all that is sent afterwards, and files from before', async ({
  world,
  alice,
  bob,
  backUp,
  restore,
}) => {
  await alice.say(bob, 'before')
  await sendFile(alice, bob, 'a file from before')
  const { id: message } = (await bob.next('message', event => event.message.file !== undefined)).message
  await backUp()
  for (let at = 0; at < 20; at++) await alice.say(bob, `lost with the relay ${at}`)
  await bob.hears('lost with the relay 19')
  await world.close(bob)
  await restore()
  await alice.online()
  for (let at = 0; at < SENT; at++) await alice.say(bob, `while away ${at}`)
  const again = await world.person('bob')
  await again.hears(`while away ${SENT - 1}`)
  const wanted = Array.from({ length: SENT }, (_, at) => `while away ${at}`)
  expect(again.texts(alice).filter(text => text.startsWith('while'))).toEqual(wanted)
  await again.say(alice, 'I have them all')
  await alice.hears('I have them all')
  const opened = await again.client.files.open(alice.chatId, message, WITHIN)
  expect(opened.size).toBe('a file from before'.length)
})

const CLEAR_LINE = '\r\u001b[K'
const hasTerminals = spawnSync('script', ['--version']).status === 0

test('[CLI-1.28] the check of a large database is announced, on a terminal in a line that is cleared, and never among the data', async ({
  world,
  file,
}) => {
  await world.stopRelay()
  const database = new DatabaseSync(join(dataOf(world), 'relay.db'))
  database.exec('CREATE TABLE filler (bytes BLOB); INSERT INTO filler VALUES (zeroblob(70000000))')
  database.close()
  const words = ['backup', '--data', dataOf(world), '--to', '-', '--plain']
  const piped = await run([...words, '--json'])
  expect([piped.code, piped.stderr]).toEqual([
    0,
    expect.stringMatching(/^\{"progress":\{"step":"checking","bytes":7\d+\}\}\n/m),
  ])
  expect(piped.stdout).not.toContain('progress')
  const plain = await run(['backup', '--data', dataOf(world), '--to', file, '--plain'])
  expect(plain.stderr).toMatch(/^Checking the database, 7\d\.\d MB\n/m)
  expect(plain.stdout).toMatch(/^Backed up the relay: [^\n]+\n$/)
  const verified = await run(['restore', file, '--verify'])
  expect(verified.stderr).toMatch(/^Checking the database, 7\d\.\d MB\n/m)
  if (hasTerminals) {
    const shown = onTerminal(['restore', file, '--verify'])
    const [before, ...lines] = shown.split(CLEAR_LINE)
    expect([before, lines]).toEqual([
      '',
      expect.arrayContaining([expect.stringMatching(/^Checking the database, 7\d\.\d MB$/)]),
    ])
    expect(lines.pop()).toMatch(/^This is a whole backup of a relay[^\n]+\n$/)
    expect(lines.join('')).not.toContain('\n')
  }
  await world.startRelay()
})

/** As a person at a terminal sees it: both outputs in one. */
function onTerminal(args: readonly string[]): string {
  const launcher = join(import.meta.dirname, '../bin/postern.mjs')
  const command = [process.execPath, launcher, ...args].map(word => `'${word}'`).join(' ')
  return execFileSync('script', ['-qec', command, '/dev/null'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}
