// What lies on the disks of the relay, of a gateway and of people: nothing that anybody said, is called, or must keep secret.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDataDirectory } from '@postern/core/node'
import type { ChatId } from '@postern/protocol'
import { parseInvite } from '@postern/protocol/content'
import { expect, onTestFinished, test } from 'vitest'
import { World } from '../src/index.ts'
import { filesIn, fingerprint, foundIn } from './data-files.ts'

const TOKEN = 'token-of-the-operator-83462'
const said = {
  'a private text': 'the harbour is closed on wednesdays',
  'a text to the bot': 'what does the lighthouse cost',
  'a text of the bot': 'fourteen thousand crowns a year',
  'a text in a group': 'nobody may know about the ferry',
}
const named = { 'a name': 'Wilhelmina Quist', 'another name': 'Bartholomew Zoe', 'the name of the bot': 'Ferryman Bot' }
const TITLE = 'the secret passengers'

async function startedWorld(): Promise<World> {
  const world = await World.start()
  onTestFinished(() => world.stop())
  return world
}

/** Everybody has said something to everybody. */
async function conversation(world: World) {
  const gateway = await world.gateway({ BOT_NAME: named['the name of the bot'], BOT_TOKEN: TOKEN })
  const alice = await world.person(named['a name'])
  const bob = await world.person(named['another name'])
  await gateway.client.whenOnline({ deadlineMs: 10_000 })
  const { inviteUrl } = gateway.client.me()
  await alice.openInvite(inviteUrl)
  await alice.say(gateway.client.account as string as ChatId, said['a text to the bot'])
  const answer = await gateway.api('POST', `/v1/chats/${alice.id}/messages`, { text: said['a text of the bot'] })
  expect(answer.status).toBe(200)
  await alice.hears(said['a text of the bot'])
  await alice.say(bob, said['a private text'])
  await bob.hears(said['a private text'])
  const members = [bob.id, gateway.client.account]
  const group = await alice.client.createGroup({ name: TITLE, members }, { deadlineMs: 10_000 })
  await bob.next('chat', event => event.chat_id === group.id)
  await bob.say(group.id as ChatId, said['a text in a group'])
  await alice.hears(said['a text in a group'])
  return { gateway, people: [alice, bob], inviteUrl }
}

test('no file of anybody holds a text, a name, a title, a token or the bot mark, while they run and afterwards', async () => {
  const world = await startedWorld()
  const { gateway, people, inviteUrl } = await conversation(world)
  const invite = parseInvite(inviteUrl)
  const secrets = {
    ...said,
    ...named,
    'a title': TITLE,
    'the invite token': invite.token,
    'the bot token': TOKEN,
    'the profile key': invite.profileKey,
    'the bot mark': '"bot":true',
  }
  const walBytes = () =>
    filesIn(world.directory)
      .filter(path => path.endsWith('core.db-wal'))
      .map(path => statSync(path).size)
  expect(Math.min(...walBytes()), 'each client has a WAL to look into').toBeGreaterThan(0)
  expect(walBytes()).toHaveLength(3)
  expect(foundIn(world.directory, secrets), 'while they run').toEqual([])

  for (const person of people) await world.close(person)
  await world.closeGateway(gateway)
  await world.stopRelay()
  expect(foundIn(world.directory, secrets), 'afterwards').toEqual([])
  const publicId = { 'what is public': invite.account as string }
  expect(foundIn(join(world.directory, 'relay'), publicId), 'the search finds what is there').not.toEqual([])

  for (const directory of ['gateway', ...people.map(person => person.name)]) {
    const keys = keysIn(join(world.directory, directory))
    const elsewhere = foundIn(world.directory, keys).filter(found => !found.endsWith(`${directory}/db.key as bytes`))
    expect(elsewhere, 'keys').toEqual([])
  }
})

function keysIn(directory: string): Record<string, Uint8Array> {
  const database = openDataDirectory(directory)
  const keys = database.get<Record<string, Uint8Array>>(
    'SELECT secret_key, device_secret_key, profile_key FROM account',
  )
  database.close()
  return { ...keys, 'db.key': readFileSync(join(directory, 'db.key')) }
}

type Damage = (keyPath: string) => void
const damages: [string, Damage][] = [
  ['no db.key', keyPath => rmSync(keyPath)],
  ['another db.key', keyPath => writeFileSync(keyPath, new Uint8Array(32).fill(7))],
  ['half a db.key', keyPath => truncateSync(keyPath, 16)],
  ['an empty db.key', keyPath => truncateSync(keyPath, 0)],
]

test.each(damages)('a database with %s beside it: one line, exit 1, nothing touched', async (_what, damage) => {
  const world = await startedWorld()
  const gateway = await world.gateway()
  await gateway.client.whenOnline({ deadlineMs: 10_000 })
  // As after a kill: with a WAL that the next start would have to read.
  const directory = join(world.directory, 'killed')
  cpSync(join(world.directory, 'gateway'), directory, { recursive: true })
  expect(statSync(join(directory, 'core.db-wal')).size).toBeGreaterThan(0)
  damage(join(directory, 'db.key'))
  const before = fingerprint(directory)
  const { code, output, errors } = await runGateway(directory)
  expect(code).toBe(1)
  expect(output).toBe('')
  expect(errors).toMatch(/^DATA_DIR: .*db\.key.*\n$/)
  expect(fingerprint(directory)).toEqual(before)
})

test('db.key is made once, for its owner alone, and never written again', async () => {
  const world = await startedWorld()
  const keyPath = join(world.directory, 'gateway', 'db.key')
  await world.closeGateway(await world.gateway())
  expect(statSync(keyPath).mode & 0o777).toBe(0o600)
  expect(statSync(join(world.directory, 'gateway')).mode & 0o777).toBe(0o700)
  chmodSync(keyPath, 0o400)
  const before = { key: readFileSync(keyPath), mtimeMs: statSync(keyPath).mtimeMs }
  await world.closeGateway(await world.gateway())
  expect({ key: readFileSync(keyPath), mtimeMs: statSync(keyPath).mtimeMs }).toEqual(before)
})

async function runGateway(directory: string): Promise<{ code: number; output: string; errors: string }> {
  const launcher = join(import.meta.dirname, '../../cli/bin/postern.mjs')
  const env = { PATH: process.env['PATH'], BOT_TOKEN: TOKEN, LISTEN: '127.0.0.1:0', DATA_DIR: directory }
  const child = spawn(process.execPath, [launcher, 'gateway'], { env })
  let output = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  onTestFinished(() => void child.kill('SIGKILL'))
  const [code] = (await once(child, 'close')) as [number]
  return { code, output, errors }
}
