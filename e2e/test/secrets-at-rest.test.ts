// The disks of the relay, of a gateway and of people: they contain no message, no name and no secret.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDataDirectory } from '@postern/core/node'
import { type ChatId, type MessageId, privateChatId } from '@postern/protocol'
import { parseInvite } from '@postern/protocol/content'
import { type TestPerson, WITHIN, type World } from '@postern/testkit'
import { test } from '@postern/testkit/fixtures'
import { isOnPostgres } from '@postern/testkit/test-databases'
import { expect, onTestFinished } from 'vitest'
import { filesIn, fingerprint, foundIn } from './data-files.ts'

const TOKEN = 'token-of-the-operator-83462'
const METRICS_TOKEN = 'a-token-that-reads-figures-alone'
const said = {
  'a private text': 'the harbour is closed on wednesdays',
  'a text to the bot': 'what does the lighthouse cost',
  'a text of the bot': 'fourteen thousand crowns a year',
  'a text in a group': 'nobody may know about the ferry',
}
const named = { 'a name': 'Wilhelmina Quist', 'another name': 'Bartholomew Zoe', 'the name of the bot': 'Ferryman Bot' }
const TITLE = 'the secret passengers'
const shown = {
  'the bytes of a file': 'forty barrels below the second bridge',
  'the name of a file': 'manifest-of-the-lowlands.csv',
  'a caption': 'burn this after the crossing',
  'the question of a poll': 'which pier is unguarded at night',
  'an option of a poll': 'the one behind the cannery',
  'the data of a button': 'confirm-the-landing-4471',
  'the text of a button': 'Light the lanterns',
  'a toast': 'lanterns are lit on both sides',
}

/** Everybody has sent something to everybody. */
async function conversation(world: World) {
  const gateway = await world.gateway({ BOT_NAME: named['the name of the bot'], BOT_TOKEN: TOKEN, METRICS_TOKEN })
  const alice = await world.person(named['a name'])
  const bob = await world.person(named['another name'])
  await gateway.client.whenOnline(WITHIN)
  const { inviteUrl } = gateway.client.identity.me()
  await alice.openInvite(inviteUrl)
  await alice.say(privateChatId(gateway.client.account), said['a text to the bot'])
  const answer = await gateway.api('POST', `/v1/chats/${alice.id}/messages`, { text: said['a text of the bot'] })
  expect(answer.status).toBe(200)
  await alice.hears(said['a text of the bot'])
  await alice.say(bob, said['a private text'])
  await bob.hears(said['a private text'])
  const members = [bob.id, gateway.client.account]
  const group = await alice.client.chats.createGroup({ name: TITLE, members }, WITHIN)
  await bob.next('chat', event => event.chat_id === group.id)
  await bob.say(group.id, said['a text in a group'])
  await alice.hears(said['a text in a group'])
  return { gateway, people: [alice, bob], inviteUrl }
}

test('[CORE-11.12] no file of anybody holds a text, a name, a title, a token or the bot mark, while they run and afterwards', async ({
  world,
}) => {
  const { gateway, people, inviteUrl } = await conversation(world)
  const invite = parseInvite(inviteUrl)
  const secrets = {
    ...said,
    ...named,
    'a title': TITLE,
    'the invite token': invite.token,
    'the bot token': TOKEN,
    'the token for the metrics': METRICS_TOKEN,
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
  if (!isOnPostgres())
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

test.for(damages)(
  '[CORE-11.2] a database with %s beside it: one line, exit 1, nothing touched',
  async ([, damage], { world }) => {
    const gateway = await world.gateway()
    await gateway.client.whenOnline(WITHIN)
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
  },
)

/** Files that were sent both ways and fetched, a poll with a vote, a button that was pressed and answered. */
async function transfers(world: World) {
  const gateway = await world.gateway()
  const alice = await world.person('alice')
  await gateway.client.whenOnline(WITHIN)
  const bot = privateChatId(gateway.client.account)
  await alice.openInvite(gateway.client.identity.me().inviteUrl)
  await alice.say(bot, 'hello')
  const messages = `/v1/chats/${alice.id}/messages`
  const contents = `${shown['the bytes of a file']}\n`.repeat(20_000)
  const fromAlice = await sendFile(alice, bot, Buffer.from(contents))
  const authorization = { authorization: `Bearer ${gateway.token}` }
  const fetchFile = async (message: string) =>
    await (await fetch(new URL(`${messages}/${message}/file`, gateway.url), { headers: authorization })).text()
  await expect.poll(() => fetchFile(fromAlice)).toBe(contents)
  const form = new FormData()
  form.append('file', new Blob([contents]), shown['the name of a file'])
  form.append('caption', shown['a caption'])
  const request = { method: 'POST', headers: authorization, body: form }
  const sent = await fetch(new URL(`/v1/chats/${alice.id}/files`, gateway.url), request)
  const { id: fromBot } = (await sent.json()) as { id: string }
  await alice.next('message', event => event.message.id === fromBot)
  const opened = await alice.client.files.open(bot, fromBot as MessageId, WITHIN)
  let fetched = ''
  for await (const part of opened.read()) fetched += Buffer.from(part).toString()
  expect(fetched).toBe(contents)

  const question = shown['the question of a poll']
  const options = [shown['an option of a poll'], 'another']
  const poll = await gateway.api<{ id: string }>('POST', `/v1/chats/${alice.id}/polls`, { question, options })
  const buttons = [[{ text: shown['the text of a button'], data: shown['the data of a button'] }]]
  const { body: asked } = await gateway.api<{ id: string }>('POST', messages, { text: 'press', buttons })
  await alice.next('message', event => event.message.id === asked.id)
  await alice.client.messages.vote(bot, { message: poll.body.id as MessageId, options: [0] }, WITHIN)
  const data = shown['the data of a button']
  const press = await alice.client.messages.press(bot, { message: asked.id as MessageId, data }, WITHIN)
  const answer = () => gateway.api('POST', `/v1/presses/${press}/answer`, { text: shown['a toast'] })
  await expect.poll(async () => (await answer()).status).toBe(200)
  await alice.next('toast')
  return { gateway, alice, bot, files: { fromAlice: fromAlice as MessageId, fromBot: fromBot as MessageId } }
}

async function sendFile(from: TestPerson, to: ChatId, bytes: Uint8Array): Promise<string> {
  const source = async function* () {
    yield bytes
  }
  const draft = await from.client.files.draft(source())
  const file = { draft, name: shown['the name of a file'], type: 'text/csv', kind: 'file' as const }
  const message = await from.client.files.send(to, { ...file, text: shown['a caption'] }, WITHIN)
  await draft.discard()
  return message.id
}

test('[CORE-11.12, CORE-13.1] no file of anybody holds the bytes, the name or the caption of a file, a poll, a button or a toast', async ({
  world,
}) => {
  const { gateway, alice, bot, files } = await transfers(world)
  const kept = () =>
    ['gateway', 'alice'].flatMap(name =>
      readdirSync(join(world.directory, name, 'files')).map(file => `${name} ${file}`),
    )
  const blobs = () => filesIn(join(world.directory, 'relay', 'blobs'))
  expect([kept().length, blobs().length], 'both sides keep both files').toEqual([4, 2])
  expect(foundIn(world.directory, shown), 'while they run').toEqual([])

  await alice.client.messages.delete(bot, { message: files.fromAlice, for: 'all' }, WITHIN)
  const path = `/v1/chats/${alice.id}/messages/${files.fromBot}`
  expect((await gateway.api('DELETE', path)).status).toBe(200)
  await expect.poll(kept).toEqual([])
  await expect.poll(blobs).toEqual([])

  await world.close(alice)
  await world.closeGateway(gateway)
  await world.stopRelay()
  expect(foundIn(world.directory, shown), 'afterwards').toEqual([])
  for (const name of ['gateway', 'alice']) {
    const database = openDataDirectory(join(world.directory, name))
    const left = database.all('SELECT 1 FROM message WHERE body LIKE ?', '%"kind":"file"%')
    database.close()
    expect(left, `files in the database of ${name}`).toEqual([])
  }
})

test('[CORE-11.13] db.key is made once, for its owner alone, and never written again', async ({ world }) => {
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
  const launcher = join(import.meta.dirname, '../../packages/cli/bin/postern.mjs')
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
