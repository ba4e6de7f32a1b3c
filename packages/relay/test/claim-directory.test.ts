// Other users on the machine can read nothing of a relay, regardless of the creator of its directory.
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { begin, put } from './put-blob.ts'
import { arrive, temporaryDirectory, testRelay } from './relay-fixture.ts'

const modeOf = (...path: string[]): string => (statSync(join(...path)).mode & 0o777).toString(8)
const modes = (directory: string) =>
  Object.fromEntries(
    readdirSync(directory, { recursive: true }).map(name => [String(name), modeOf(directory, String(name))]),
  )

/** As an operator would create it. */
function madeBefore(...names: string[]): string {
  const directory = join(temporaryDirectory(), 'data')
  mkdirSync(directory)
  chmodSync(directory, 0o755)
  for (const name of names) writeFileSync(join(directory, name), '', { mode: 0o644 })
  return directory
}

const isPrivate = (directory: string) => Object.values(modes(directory)).every(mode => /^[67]00$/.test(mode))

async function useRelay(dataDirectory: string): Promise<void> {
  const relay = await testRelay({ dataDirectory })
  const alice = await arrive(relay)
  expect((await put(await begin(relay, alice, 6), Buffer.from('sealed'), 0)).status).toBe(204)
}

test('[RELAY-1.28] in a directory that was there before, the files are for the user of the relay alone', async () => {
  const directory = madeBefore()
  await useRelay(directory)
  expect(modes(directory)).toMatchObject({ 'relay.db': '600', 'relay.db-wal': '600', blobs: '700' })
  expect(isPrivate(directory)).toBe(true)
  expect(modeOf(directory)).toBe('700')
})

test('[RELAY-1.28] and so are those of a relay that was less careful', async () => {
  const directory = madeBefore('relay.db', 'relay.db-wal')
  mkdirSync(join(directory, 'blobs'))
  chmodSync(join(directory, 'blobs'), 0o755)
  await useRelay(directory)
  expect(modes(directory)).toMatchObject({ 'relay.db': '600', 'relay.db-wal': '600', blobs: '700' })
  expect(modeOf(directory)).toBe('700')
})

test('[RELAY-1.28] a directory with things of others in it stays as open as it was', async () => {
  const directory = madeBefore('notes.txt')
  await useRelay(directory)
  expect(modes(directory)).toMatchObject({ 'relay.db': '600', 'relay.db-wal': '600', blobs: '700', 'notes.txt': '644' })
  expect(modeOf(directory)).toBe('755')
})
