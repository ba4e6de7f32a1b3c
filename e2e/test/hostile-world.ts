// People of whom one has a hostile relay, and the check that ends every such test: does the chat continue?
import type { ChatId } from '@postern/protocol'
import { HostileRelay, type ManualClock, type TestPerson, WITHIN, type World } from '@postern/testkit'
import { expect, vi } from 'vitest'
import { RecordedLog } from './recorded-log.ts'

type Talking = { alice: TestPerson; bob: TestPerson; relay: HostileRelay }
/** The log is bob's. */
export type Pair = Talking & { log: RecordedLog; aliceLog: RecordedLog }

let pairs = 0

type BobOptions = { clock?: ManualClock }

/** Alice and bob have talked to each other; the test controls the relay's messages to bob, and reads his log. */
export async function talkingPair(world: World, options: BobOptions = {}): Promise<Pair> {
  const log = new RecordedLog()
  const aliceLog = new RecordedLog()
  const number = ++pairs
  const alice = await world.person(`alice ${number}`, { log: aliceLog })
  const bob = await world.person(`bob ${number}`, { log, ...options })
  await alice.say(bob, 'hello bob')
  await bob.hears('hello bob')
  await bob.say(alice, 'hello alice')
  await alice.hears('hello alice')
  return { alice, bob, relay: new HostileRelay(bob.wire), log, aliceLog }
}

export async function talkingGroup(
  world: World,
  options: BobOptions = {},
): Promise<Pair & { carol: TestPerson; group: ChatId }> {
  const pair = await talkingPair(world, options)
  const { alice, bob } = pair
  const carol = await world.person(`carol ${pairs}`)
  const chat = await alice.client.chats.createGroup({ name: 'all', members: [bob.id, carol.id] }, WITHIN)
  const group = chat.id
  await alice.say(group, 'hello all')
  await Promise.all([bob.hears('hello all'), carol.hears('hello all')])
  return { ...pair, carol, group }
}

/** Entries in other mailboxes leave cursors free that a hostile relay can use for invented entries. */
export async function freeCursors(world: World): Promise<void> {
  const dora = await world.person(`dora ${++pairs}`)
  const eric = await world.person(`eric ${pairs}`)
  for (const text of ['one', 'two', 'three']) await dora.say(eric, text)
  await eric.hears('three')
}

let rounds = 0

/** The relay is honest again: after at most one healing, each receives the other's messages, once. */
export async function expectGoesOn({ alice, bob, relay }: Talking, chat?: ChatId): Promise<void> {
  relay.repent()
  const fromBob = `bob goes on ${++rounds}`
  const fromAlice = `alice goes on ${rounds}`
  await vi.waitFor(() => bob.say(chat ?? alice, fromBob), { timeout: WITHIN.timeoutMs, interval: 100 })
  await alice.hears(fromBob)
  await alice.say(chat ?? bob, fromAlice)
  await bob.hears(fromAlice)
  for (const person of [alice, bob]) expectNothingTwice(person, chat ?? (person === alice ? bob : alice))
}

function expectNothingTwice(person: TestPerson, chat: TestPerson | ChatId): void {
  const texts = person.texts(chat)
  expect(texts, `${person.name} was shown something twice`).toEqual([...new Set(texts)])
}
