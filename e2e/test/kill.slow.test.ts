// kill -9 of the relay, of the gateway and of people in the middle of traffic, at random points, again and again.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { readClient, type StoredClient } from '@postern/testkit/client-database'
import type { Killable, PersonProcess } from '@postern/testkit/processes'
import { SeededRandom, seedFrom } from '@postern/testkit/random'
import { expect, test } from 'vitest'
import { botOf, expectAlive, type Parts, startParts } from './killable-parts.ts'
import { EchoOperator } from './operator.ts'

const KILLS = Number(process.env['KILL_COUNT'] ?? 40)
const IN_FLIGHT_MAX = 4
const BURST = 3
const SETTLE_WITHIN_MS = 180_000

type Sent = { text: string; acknowledged: string | undefined }

test('[RELAY-2.15, CORE-8.3, CORE-11.3] kill -9 of relay, gateway and people under traffic loses nothing, repeats nothing, keeps one order', async () => {
  const seed = seedFrom('KILL_SEED')
  console.info(`to repeat: KILL_SEED=${seed}`)
  const random = new SeededRandom(seed)
  const parts = await startParts(['alice', 'bob', 'carol'])
  const chats = await openChats(parts)
  const operator = new EchoOperator(parts.gateway, { random, wantsEcho: text => !text.startsWith('echo') })
  const operating = operator.run()
  const traffic = new Traffic(random, chats)
  const talking = Promise.all(parts.people.map(person => traffic.run(person)))
  // Awaited after the last kill: what fails before then must not end the process.
  talking.catch(() => undefined)

  for (let kill = 0; kill < KILLS; kill++) {
    await pause(50 + random.below(1300))
    const victim = random.of<Killable>([parts.relay, parts.gateway, random.of(parts.people)])
    // Into a burst: the narrow moments between a relay's answer and its reader's write are hit more often.
    traffic.burst(parts.people)
    await pause(random.below(40))
    await victim.kill()
    await pause(random.below(150))
    victim.start()
    expectAlive(parts)
  }

  // However slow the machine is: what is checked has to have happened.
  while (operator.acknowledged.length === 0) await pause(100)
  traffic.stop()
  await talking
  await settled(parts, operator, chats.group)
  operator.stop()
  await operating
  for (const part of [parts.gateway, ...parts.people, parts.relay]) await part.kill()
  expect(traffic.sent.length, 'there was traffic').toBeGreaterThan(KILLS)
  check(parts, { traffic, operator })
}, 600_000)

type Chats = { group: string; of: Map<PersonProcess, string[]> }

/** Everybody has a chat with the bot, alice one with bob, and all of them are in a group. */
async function openChats({ gateway, people }: Parts): Promise<Chats> {
  const bot = await botOf(gateway)
  const ids = await Promise.all(people.map(person => person.ready()))
  const [alice, bob, carol] = people as [PersonProcess, PersonProcess, PersonProcess]
  for (const person of people) await person.do('open', { invite: bot.invite_url })
  await alice.do('open', { account: ids[1] })
  const { id: group } = await alice.do<{ id: string }>('group', { name: 'all', members: [ids[1], ids[2], bot.id] })
  for (const person of [bob, carol]) await chatShown(person, group)
  await chatShown(bob, ids[0] as string)
  return {
    group,
    of: new Map([
      [alice, [bot.id, ids[1] as string, group]],
      [bob, [bot.id, ids[0] as string, group]],
      [carol, [bot.id, group]],
    ]),
  }
}

async function chatShown(person: PersonProcess, chat: string): Promise<void> {
  while (!(await person.do<{ id: string }[]>('chats')).some(({ id }) => id === chat)) await pause(20)
}

/** People who talk in all their chats, a few words at a time; alice also renames the group, so that epochs change. */
class Traffic {
  readonly #random: SeededRandom
  readonly #chats: Chats
  readonly sent: Sent[] = []
  #stopped = false

  constructor(random: SeededRandom, chats: Chats) {
    this.#random = random
    this.#chats = chats
  }

  stop(): void {
    this.#stopped = true
  }

  burst(people: PersonProcess[]): void {
    for (const person of people) for (let count = 0; count < BURST; count++) void this.#say(person)
  }

  async run(person: PersonProcess): Promise<void> {
    const inFlight = new Set<Promise<void>>()
    for (let count = 1; !this.#stopped; count++) {
      await person.ready()
      const work = (
        person.name === 'alice' && count % 25 === 0 ? this.#rename(person, count) : this.#say(person)
      ).finally(() => inFlight.delete(work))
      inFlight.add(work)
      if (inFlight.size >= IN_FLIGHT_MAX) await Promise.race(inFlight)
      await pause(this.#random.below(120))
    }
    await Promise.all(inFlight)
  }

  async #say(person: PersonProcess): Promise<void> {
    const sent: Sent = { text: `${person.name} ${this.sent.length}`, acknowledged: undefined }
    this.sent.push(sent)
    const answer = await person.ask('send', {
      chat: this.#random.of(this.#chats.of.get(person) ?? []),
      text: sent.text,
    })
    if (answer.kind === 'ok') sent.acknowledged = (answer.ok as { id: string }).id
  }

  async #rename(person: PersonProcess, count: number): Promise<void> {
    await person.ask('rename', { chat: this.#chats.group, name: `name ${count}` })
  }
}

/** Every part is up; waits until everybody shows the same of the group, twice in a row, and the bot has nothing to do. */
async function settled(parts: Parts, operator: EchoOperator, group: string): Promise<void> {
  const { people } = parts
  const endMs = Date.now() + SETTLE_WITHIN_MS
  for (let same = 0; same < 2 && Date.now() < endMs; ) {
    await Promise.all(people.map(person => person.ready()))
    const views = await Promise.all(people.map(person => person.ask('messages', { chat: group, limit: 100 })))
    const ids = views.map(view => (view.kind === 'ok' ? (view.ok as { id: string }[]) : []).map(({ id }) => id).join())
    expectAlive(parts)
    same = new Set(ids).size === 1 && operator.isIdle ? same + 1 : 0
    await pause(1000)
  }
}

function check({ relay, gateway, people }: Parts, told: { traffic: Traffic; operator: EchoOperator }): void {
  const relayDatabase = new DatabaseSync(join(relay.directory, 'relay.db'))
  expect(relayDatabase.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  relayDatabase.close()
  const clients = [gateway, ...people].map(part => readClient(part.directory))
  const [bot] = clients as [StoredClient]
  for (const client of clients) expect(client.outbox, 'nothing is left in doubt').toBe(0)
  expect(new Set(clients.map(client => [...client.titles.values()].join())).size, 'one title for everyone').toBe(1)
  checkOneOrder(clients)
  checkAcknowledged(clients, told)
  const received = bot.messages.filter(message => message.sender !== bot.account).map(message => message.id)
  const reported = [...told.operator.updates.values()].flatMap(update => update.message?.id ?? [])
  expect(reported.toSorted(), 'each message is one update').toEqual(received.toSorted())
  for (const [at, person] of people.entries()) checkEvents(person, clients[at + 1] as StoredClient)
}

/** Of every two clients, whatever they both have of a chat they have alike, and neither has more. */
function checkOneOrder(clients: StoredClient[]): void {
  for (const one of clients)
    for (const other of clients) {
      if (one === other) continue
      const shared = chatsBetween(one, other)
      for (const { here, there } of shared) expect(listOf(one, here), 'one order').toEqual(listOf(other, there))
    }
  for (const { messages } of clients) {
    const texts = messages.map(({ chat, text }) => `${chat} ${text}`)
    expect(new Set(texts).size, 'no text twice').toBe(texts.length)
  }
}

function chatsBetween(one: StoredClient, other: StoredClient): { here: string; there: string }[] {
  const groups = [...one.titles.keys()].map(group => ({ here: group, there: group }))
  return [...groups, { here: other.account, there: one.account }]
}

const listOf = ({ messages }: StoredClient, chat: string): string[] =>
  messages.filter(message => message.chat === chat).map(({ id, sender, text }) => `${id} ${sender} ${text}`)

function checkAcknowledged(
  clients: StoredClient[],
  { traffic, operator }: { traffic: Traffic; operator: EchoOperator },
): void {
  const known = new Set(clients.flatMap(client => client.messages.map(message => message.id)))
  const acknowledged = [...traffic.sent.flatMap(sent => sent.acknowledged ?? []), ...operator.acknowledged]
  expect(
    acknowledged.filter(id => !known.has(id)),
    'acknowledged and lost',
  ).toEqual([])
  expect(new Set(acknowledged).size).toBe(acknowledged.length)
}

/** A kill repeats the last events at most: with repeats left out, they are what was received, in its order. */
function checkEvents(person: PersonProcess, client: StoredClient): void {
  const received = client.messages.filter(message => message.sender !== client.account)
  const chatOf = new Map(received.map(message => [message.id, message.chat]))
  const heard = [...new Set(person.heard)]
  for (const chat of new Set(received.map(message => message.chat)))
    expect(heard.filter(id => chatOf.get(id) === chat)).toEqual(received.filter(m => m.chat === chat).map(m => m.id))
  expect(heard.length).toBe(received.length)
}
