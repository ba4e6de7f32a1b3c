// A short life of a bot and alice, whose data directories are kept for later versions: sent messages, and some still in flight.
import { createReadStream, createWriteStream, readFileSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { ManualClock, type TestGateway, type TestPerson, WITHIN, type World } from '@postern/testkit'
import Sqlite from 'better-sqlite3-multiple-ciphers'
import { packTar, unpackTar } from 'modern-tar/fs'

/** The time of this life: certificates and key packages expire, and a stored one does not outlive them. */
const LIVED_AT_MS = Date.UTC(2026, 10, 16)
export const HOOKS_URL = 'https://hooks.example'
const CLIENTS = ['gateway', 'alice']
const DIRECTORIES = ['relay', ...CLIENTS]
/** The first bytes of a database that is not encrypted. */
const PLAIN = Buffer.from('SQLite format 3\0')

export type StoredFacts = {
  bot: string
  alice: string
  group: string
  /** Sent with the `Idempotency-Key: once`. */
  sent: string
  poll: string
  file: string
  hook: string
  /** Ids of the unconfirmed updates. */
  updates: number[]
}

export const livedClock = (): ManualClock => new ManualClock(LIVED_AT_MS)

export const sendOnce = (gateway: TestGateway, chat: string): Promise<{ id: string }> =>
  sendWithKey(gateway, chat, { text: 'good morning, alice', buttons: [[{ text: 'Deploy', data: 'deploy' }]] })

/** With the `Idempotency-Key: once`. */
export async function sendWithKey({ url, token }: TestGateway, chat: string, message: object): Promise<{ id: string }> {
  const response = await fetch(new URL(`/v1/chats/${chat}/messages`, url), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': 'once' },
    body: JSON.stringify(message),
  })
  return await answered(response)
}

async function answered(response: Response): Promise<{ id: string }> {
  if (!response.ok) throw new Error(`answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as { id: string }
}

async function sendNote({ url, token }: TestGateway, chat: string): Promise<{ id: string }> {
  const form = new FormData()
  form.set('file', new File(['a small file'], 'note.txt', { type: 'text/plain' }))
  form.set('caption', 'a note')
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(new URL(`/v1/chats/${chat}/files`, url), { method: 'POST', headers, body: form })
  return await answered(response)
}

export async function updatesOf(gateway: TestGateway): Promise<{ id: number; type: string }[]> {
  return (await gateway.api<{ id: number; type: string }[]>('GET', '/v1/updates?limit=100')).body
}

/** A program that is not a test also writes it. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const endMs = performance.now() + WITHIN.timeoutMs
  while (!(await isSo())) {
    if (performance.now() > endMs) throw new Error('it did not come about in time')
    await pause(10)
  }
}

const isTold = (gateway: TestGateway, what: string) =>
  until(async () => JSON.stringify(await updatesOf(gateway)).includes(what))

/** All of it, until the last message waits at the relay for an absent alice. */
async function live(world: World, clock: ManualClock): Promise<StoredFacts> {
  const gateway = await world.gateway({ HOOKS_URL }, { clock })
  const alice = await world.person('alice', { clock })
  await gateway.client.whenOnline(WITHIN)
  const { body: bot } = await gateway.api<{ id: string; invite_url: string }>('GET', '/v1/me')
  await alice.openInvite(bot.invite_url)
  await alice.say(bot.id as never, 'good morning')
  await isTold(gateway, 'good morning')
  const sent = await sendOnce(gateway, alice.id)
  await alice.hears('good morning, alice')
  const said = {
    ...(await askAndGather(gateway, { alice, bot: bot.id })),
    file: (await sendNote(gateway, alice.id)).id,
  }
  const hook = await gateway.api<{ url: string }>('POST', '/v1/hooks', { chat_id: alice.id, format: 'text' })
  await alice.say(bot.id as never, 'nobody has read this yet')
  await isTold(gateway, 'nobody has read this yet')
  await world.close(alice)
  await gateway.api('POST', `/v1/chats/${alice.id}/messages`, { text: 'while you were away' })
  const updates = (await updatesOf(gateway)).map(({ id }) => id)
  await world.closeGateway(gateway)
  return { bot: bot.id, alice: alice.id, ...said, sent: sent.id, hook: new URL(hook.body.url).pathname, updates }
}

/** A poll with a vote, and a group with a message. */
async function askAndGather(gateway: TestGateway, { alice, bot }: { alice: TestPerson; bot: string }) {
  const asked = { question: 'Tea or coffee?', options: ['Tea', 'Coffee'] }
  const { body: poll } = await gateway.api<{ id: string }>('POST', `/v1/chats/${alice.id}/polls`, asked)
  await alice.next('message', ({ message }) => message.poll !== undefined)
  await alice.client.messages.vote(bot as never, { message: poll.id as never, options: [0] }, WITHIN)
  await isTold(gateway, '"poll"')
  const { body: group } = await gateway.api<{ id: string }>('POST', '/v1/groups', {
    name: 'Everybody',
    members: [alice.id],
  })
  await until(() => alice.client.chats.list().some(({ name }) => name === 'Everybody'))
  await alice.say(group.id as never, 'to everybody')
  await isTold(gateway, 'to everybody')
  return { poll: poll.id, group: group.id }
}

/** The archive of such a life. The world's relay is stopped afterwards. */
export async function leave(world: World, clock: ManualClock): Promise<string> {
  const left = join(world.directory, 'left')
  await mkdir(left)
  const facts = await live(world, clock)
  await world.stopRelay()
  for (const name of DIRECTORIES) await rename(join(world.directory, name), join(left, name))
  await writeFile(join(left, 'facts.json'), JSON.stringify(facts))
  await pipeline(packTar(left), createGzip(), createWriteStream(`${left}.tgz`))
  return `${left}.tgz`
}

/** Afterwards the world's directories are those of the archive, and its relay runs on them. */
export async function putBack(world: World, archive: string): Promise<void> {
  await world.stopRelay()
  await rm(join(world.directory, 'relay'), { recursive: true, force: true })
  await unpackStored(archive, world.directory)
  await world.startRelay()
}

export async function unpackStored(archive: string, directory: string): Promise<void> {
  await pipeline(createReadStream(archive), createGunzip(), unpackTar(directory))
  for (const name of CLIENTS) encryptPlain(join(directory, name))
}

/** Some archives hold databases without encryption, because encrypted bytes do not compress. */
function encryptPlain(directory: string): void {
  const path = join(directory, 'core.db')
  if (!readFileSync(path).subarray(0, PLAIN.length).equals(PLAIN)) return
  const database = new Sqlite(path)
  try {
    database.pragma("cipher = 'aegis'")
    database.pragma(`rekey = 'raw:${readFileSync(join(directory, 'db.key')).toString('hex')}'`)
  } finally {
    database.close()
  }
}
