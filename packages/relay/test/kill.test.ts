// Repeated kill -9 of the relay under load: every acknowledged message is stored once, in one order.
import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { AccountId, GroupId, MessageId } from '@postern/protocol'
import type { MailboxEntry, RelayVerdict } from '@postern/protocol/relay'
import { timesFrom } from '@postern/testkit/random'
import { isOnPostgres } from '@postern/testkit/test-databases'
import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { temporaryDirectory } from './relay-fixture.ts'
import { RelayProcess } from './relay-process.ts'
import {
  commitEnvelope,
  connect,
  idOf,
  messageEnvelope,
  newGroupId,
  newPerson,
  type TestClient,
} from './test-client.ts'

const KILLS = timesFrom('KILL_COUNT', { change: 4, campaign: 12 })
/** The work that the relay must have done before each kill, however slow the machine is. */
const MESSAGES_PER_LIFE = 25
const COMMITS_PER_LIFE = 2
const RETRY_MS = 20

/** A client that reconnects until it succeeds, and sends the same bytes until it has an answer. */
class Persistent {
  readonly person = newPerson()
  readonly #relay: RelayProcess
  #client: Promise<TestClient> | undefined

  constructor(relay: RelayProcess) {
    this.#relay = relay
  }

  get id(): AccountId {
    return this.person.id
  }

  async do<T>(operation: (client: TestClient) => Promise<T>): Promise<T> {
    for (;;) {
      this.#client ??= connect(this.#relay.url, this.person)
      const client = this.#client
      try {
        return await operation(await client)
      } catch {
        if (this.#client === client) this.#client = undefined
        void client.then(broken => broken.socket.terminate()).catch(() => undefined)
        await pause(RETRY_MS)
      }
    }
  }

  async end(): Promise<void> {
    ;(await this.#client?.catch(() => undefined))?.socket.terminate()
  }
}

async function groupOf(creator: Persistent, ...others: Persistent[]): Promise<GroupId> {
  const group = newGroupId()
  await creator.do(client => client.call('createGroup', { group, continues: undefined }))
  const payload = commitEnvelope({ group, epoch: 0 })
  await creator.do(client => client.commit(payload, { add: others.map(other => other.id) }))
  return group
}

type Chat = { group: GroupId; members: Persistent[]; acknowledged: MessageId[] }

async function sendUntil(stopped: () => boolean, chat: Chat, sender: Persistent): Promise<void> {
  while (!stopped()) {
    const payload = messageEnvelope({ group: chat.group, epoch: 1, size: 300 })
    const { accepted } = await sender.do(client => client.append(payload))
    if (accepted) chat.acknowledged.push(accepted.message)
  }
}

type Race = { group: GroupId; won: Map<Persistent, Map<number, string>> }

/** Races the others for every epoch; notes the epochs it won, with the winning commits. */
async function commitUntil(stopped: () => boolean, { group, won }: Race, committer: Persistent): Promise<void> {
  const own = new Map<number, string>()
  won.set(committer, own)
  for (let epoch = 1; !stopped(); ) {
    const payload = commitEnvelope({ group, epoch })
    const verdict: RelayVerdict = await committer.do(client => client.commit(payload))
    if (verdict.accepted) own.set(epoch, verdict.accepted.message)
    epoch = verdict.epoch
  }
}

async function readAll(reader: Persistent): Promise<MailboxEntry[]> {
  return reader.do(async client => {
    const { head } = await client.call('follow', { after: 0 })
    client.autoAcknowledge = true
    client.acknowledge(0)
    while (client.lastCursor < head) await client.delivered(client.entries.length + 1)
    return client.entries
  })
}

describe('kill -9', () => {
  test('[RELAY-2.15] loses nothing that was acknowledged, repeats nothing, keeps one order', async () => {
    const directory = temporaryDirectory()
    const relay = new RelayProcess(directory)
    await relay.start()
    onTestFinished(() => relay.kill())
    const people = Array.from({ length: 6 }, () => new Persistent(relay))
    for (const person of people) await person.do(client => client.call('ping', {}))
    const chats: Chat[] = []
    for (let at = 0; at < 6; at++) {
      const members = [0, 1, 2].map(next => people[(at + next) % 6] as Persistent)
      const [creator, ...others] = members as [Persistent, ...Persistent[]]
      chats.push({ group: await groupOf(creator, ...others), members, acknowledged: [] })
    }
    const contested = await groupOf(people[0] as Persistent, people[1] as Persistent, people[2] as Persistent)
    const race: Race = { group: contested, won: new Map() }

    let over = false
    const stopped = () => over
    const sending = chats.flatMap(chat => chat.members.map(member => sendUntil(stopped, chat, member)))
    const committing = people.slice(0, 3).map(committer => commitUntil(stopped, race, committer))
    const sent = () => chats.reduce((sum, chat) => sum + chat.acknowledged.length, 0)
    const committed = () => [...race.won.values()].reduce((sum, own) => sum + own.size, 0)
    for (let kill = 1; kill <= KILLS; kill++) {
      while (sent() < kill * MESSAGES_PER_LIFE || committed() < kill * COMMITS_PER_LIFE) await pause(1)
      await pause(randomBytes(1)[0] ?? 0)
      await relay.kill()
      await relay.start()
    }
    over = true
    await Promise.all([...sending, ...committing])

    const read = new Map<Persistent, MailboxEntry[]>()
    for (const person of people) read.set(person, await readAll(person))
    for (const chat of chats) checkChat(chat, read)
    checkEpochs(
      [...race.won.values()],
      (read.get(people[0] as Persistent) ?? []).filter(entry => entry.group === contested),
    )
    for (const person of people) await person.end()
    await relay.kill()
    if (isOnPostgres()) return
    const db = new Database(join(directory, 'relay.db'))
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
    db.close()
  })

  test('[RELAY-3.2] an upload goes on where the relay was killed', async () => {
    const relay = new RelayProcess(temporaryDirectory())
    await relay.start()
    onTestFinished(() => relay.kill())
    const alice = new Persistent(relay)
    const data = randomBytes(3_000_000)
    const { blob, token } = await alice.do(client => client.call('beginBlob', { size: data.length }))
    const path = `/blobs/${blob}`
    const headers = (offset: number) => ({ Authorization: `Bearer ${token}`, 'Upload-Offset': String(offset) })
    const stored = async () => {
      const answer = await fetch(relay.url + path, { method: 'HEAD', headers: headers(0) })
      return Number(answer.headers.get('upload-offset'))
    }
    let offset = 0
    for (let kills = 0; kills < 4; kills++) {
      // The connection stays open after a part of the rest, so that the relay dies in the middle of it.
      const putting = request(relay.url + path, { method: 'PUT', headers: headers(offset) })
      putting.on('error', () => undefined)
      putting.write(data.subarray(offset, offset + 400_000))
      while ((await stored()) === offset);
      await relay.kill()
      await relay.start()
      offset = await stored()
      expect(offset).toBeGreaterThan(kills)
    }
    expect(offset).toBeLessThan(data.length)
    const rest = { method: 'PUT', headers: headers(offset), body: new Blob([data.subarray(offset)]) }
    expect((await fetch(relay.url + path, rest)).status).toBe(204)
    expect(Buffer.from(await (await fetch(`${relay.url}/blobs/${blob}`)).arrayBuffer()).equals(data)).toBe(true)
    await alice.end()
  })
})

function checkChat(chat: Chat, read: Map<Persistent, MailboxEntry[]>): void {
  const bySeq = new Map<number, MessageId>()
  const seen = new Set<MessageId>()
  for (const member of chat.members) {
    const own = (read.get(member) ?? []).filter(entry => entry.group === chat.group && entry.kind === 'message')
    const seqs = own.map(entry => entry.seq)
    expect(seqs, 'in order, none twice').toEqual([...new Set(seqs)].toSorted((a, b) => a - b))
    for (const entry of own) {
      const message = idOf(entry.payload)
      expect(bySeq.get(entry.seq) ?? message, 'one order for everyone').toBe(message)
      bySeq.set(entry.seq, message)
      seen.add(message)
    }
  }
  expect(bySeq.size, 'none under two numbers').toBe(seen.size)
  // Each message reaches everyone but its sender: two of three.
  const deliveries = chat.members.reduce((sum, member) => sum + messagesOf(read.get(member) ?? [], chat.group), 0)
  expect(deliveries).toBe(bySeq.size * 2)
  expect(
    chat.acknowledged.filter(message => !seen.has(message)),
    'lost',
  ).toEqual([])
  expect(new Set(chat.acknowledged).size).toBe(chat.acknowledged.length)
}

const messagesOf = (entries: MailboxEntry[], group: GroupId): number =>
  entries.filter(entry => entry.group === group && entry.kind === 'message').length

function checkEpochs(won: Map<number, string>[], log: MailboxEntry[]): void {
  const commits = log.filter(entry => entry.kind === 'commit').map(entry => idOf(entry.payload))
  const winners = new Map<number, string>()
  for (const [epoch, message] of won.flatMap(one => [...one])) {
    expect(winners.has(epoch), 'one winner an epoch').toBe(false)
    winners.set(epoch, message)
  }
  for (const [epoch, message] of winners) expect(commits[epoch]).toBe(message)
}
