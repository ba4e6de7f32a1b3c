// Typing is shown for seconds, is in nobody's records, and is sent only where both sides talk.
import { type ChatId, clientLimits, toBase32 } from '@postern/protocol'
import {
  calls,
  decodeClientFrame,
  decodeRelayFrame,
  encodeClientFrame,
  encodeRelayFrame,
} from '@postern/protocol/relay'
import { type TestPerson, WITHIN, Wire } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { Typists } from '../src/typing/typists.ts'

const { typingShownMs, typingSentEveryMs, typingReadEveryMs, typistsMax } = clientLimits

/** Keeps the frames of typing that pass, in both directions. */
class TypingWire extends Wire {
  readonly came: Uint8Array[] = []
  readonly sent: Uint8Array[] = []

  override incoming = (frame: Uint8Array): Uint8Array[] => {
    if (decodeRelayFrame(frame).kind === 'ephemeral') this.came.push(frame.slice())
    return [frame]
  }

  override outgoing = (frame: Uint8Array): Uint8Array[] => {
    const call = decodeClientFrame(frame)
    if (call.kind === 'call' && call.name === 'sendEphemeral') this.sent.push(call.request.payload)
    return [frame]
  }
}

/** All clocks are one, and it stands still. */
const test = base
  .extend('worldOptions', ({ clock }) => ({ relayClock: clock }))
  .extend('wires', () => ({ alice: new TypingWire(), bob: new TypingWire(), carol: new TypingWire() }))
  .extend('alice', ({ world, clock, wires }) => world.person('alice', { clock, wire: wires.alice }))
  .extend('bob', ({ world, clock, wires }) => world.person('bob', { clock, wire: wires.bob }))
  .extend('carol', ({ world, clock, wires }) => world.person('carol', { clock, wire: wires.carol }))

const typingIn = ({ client }: TestPerson, chat: ChatId) =>
  client.typing
    .now()
    .filter(typist => typist.chat === chat)
    .map(({ person }) => person.name)

async function areTalking(alice: TestPerson, bob: TestPerson): Promise<void> {
  await alice.say(bob, 'hello')
  await bob.hears('hello')
  await bob.say(alice, 'hello, alice')
  await alice.hears('hello, alice')
  await expect.poll(() => bob.client.identity.profileOf(alice.id).name).toBe('alice')
}

test('[CORE-5.23] typing is shown for eight seconds, and is in no journal', async ({ alice, bob, clock }) => {
  await areTalking(alice, bob)
  const before = bob.client.journal.newest()
  const changes: unknown[] = []
  bob.client.typing.onChange(({ person, state }) => changes.push([person.name, state]))
  await alice.client.typing.send(bob.chatId, WITHIN)
  await expect.poll(() => typingIn(bob, alice.chatId)).toEqual(['alice'])
  clock.advance(typingShownMs - 1)
  expect(typingIn(bob, alice.chatId)).toEqual(['alice'])
  clock.advance(1)
  expect(typingIn(bob, alice.chatId)).toEqual([])
  expect(changes).toEqual([
    ['alice', 'typing'],
    ['alice', 'ended'],
  ])
  // Receipts may come at any time.
  const events = bob.client.journal.read(before, 100).map(({ json }) => (JSON.parse(json) as { type: string }).type)
  expect(events.filter(type => type !== 'receipt')).toEqual([])
  expect(bob.texts(alice)).toEqual(['hello', 'hello, alice'])
})

test('[CORE-5.23] it ends with the next message, after which it is sent again at once', async ({
  alice,
  bob,
  clock,
  wires,
}) => {
  await areTalking(alice, bob)
  await alice.client.typing.send(bob.chatId, WITHIN)
  await expect.poll(() => typingIn(bob, alice.chatId)).toEqual(['alice'])
  await alice.say(bob, 'done')
  await bob.hears('done')
  expect(typingIn(bob, alice.chatId)).toEqual([])
  clock.advance(typingReadEveryMs)
  await alice.client.typing.send(bob.chatId, WITHIN)
  await alice.client.typing.send(bob.chatId, WITHIN)
  expect(wires.alice.sent).toHaveLength(2)
  await expect.poll(() => typingIn(bob, alice.chatId)).toEqual(['alice'])
})

test('[CORE-5.24] one is sent in some seconds, however often it is asked for', async ({ alice, bob, clock, wires }) => {
  await areTalking(alice, bob)
  for (let times = 0; times < 5; times++) await alice.client.typing.send(bob.chatId, WITHIN)
  expect(wires.alice.sent).toHaveLength(1)
  clock.advance(typingSentEveryMs)
  await alice.client.typing.send(bob.chatId, WITHIN)
  expect(wires.alice.sent).toHaveLength(2)
})

test('[CORE-5.25] a frame that the relay delivers again, or hours later, shows nothing', async ({
  alice,
  bob,
  clock,
  wires,
}) => {
  await areTalking(alice, bob)
  await alice.client.typing.send(bob.chatId, WITHIN)
  await expect.poll(() => typingIn(bob, alice.chatId)).toEqual(['alice'])
  const [frame] = wires.bob.came as [Uint8Array]
  const changes: string[] = []
  bob.client.typing.onChange(({ state }) => changes.push(state))
  await alice.say(bob, 'done')
  await bob.hears('done')
  const again = async () => {
    clock.advance(typingReadEveryMs)
    expect(wires.bob.isConnected).toBe(true)
    wires.bob.inject(frame)
    await laneIsDone(bob, alice.chatId)
  }
  await again()
  clock.advance(typingShownMs)
  await again()
  clock.leap(60 * 60 * 1000)
  await again()
  expect(changes).toEqual(['ended'])
})

/** Frames wait for the lane of their group; this work comes after them. */
async function laneIsDone({ client }: TestPerson, chat: ChatId): Promise<void> {
  const { store, groups } = client['core']
  const row = store.get<{ group_id: string }>('SELECT group_id FROM chat WHERE id = ?', chat)
  await groups.run(row?.group_id as never, async () => undefined)
}

test('[CORE-5.25] nobody types in the name of another, nor in a chat of others', async ({
  alice,
  bob,
  carol,
  clock,
  wires,
}) => {
  const chat = await alice.createGroup('team', [bob, carol])
  await carol.client.typing.send(chat, WITHIN)
  await expect.poll(() => typingIn(bob, chat)).toEqual([carol.client.identity.me().name])
  clock.advance(typingShownMs)
  await carol.say(chat, 'reset')
  await bob.hears('reset')
  clock.advance(typingReadEveryMs)
  await carol.client.typing.send(chat, WITHIN)
  const [, payload] = wires.carol.sent as [Uint8Array, Uint8Array]
  await expect.poll(() => typingIn(bob, chat)).toHaveLength(1)
  // The relay passes off as alice's what carol has sealed, and what it has spoiled.
  for (const spoiled of [payload, payload.map(byte => byte ^ 1), payload.toReversed(), payload.subarray(0, 40)]) {
    clock.advance(typingReadEveryMs)
    wires.bob.inject(encodeRelayFrame({ kind: 'ephemeral', sender: alice.id, payload: spoiled }))
    await laneIsDone(bob, chat)
  }
  expect(bob.client.typing.now().map(({ person }) => person.id)).toEqual([carol.id])
  expect(bob.client.isOnline).toBe(true)
})

test('[CORE-5.26] nothing is sent to a person who has not answered, and a request shows nothing', async ({
  world,
  alice,
  clock,
  wires,
}) => {
  const bob = await world.person('bob', { clock, wire: wires.bob, acceptRequests: 'ask' })
  await alice.say(bob, 'may I?')
  await expect.poll(() => bob.client.chats.list().map(({ state }) => state)).toEqual(['request'])
  await alice.client.typing.send(bob.chatId, WITHIN)
  expect(wires.alice.sent).toEqual([])
  await expect(bob.client.typing.send(alice.chatId, WITHIN)).rejects.toMatchObject({ code: 'chat-is-request' })
  await bob.client.chats.block(alice.id)
  await expect(bob.client.typing.send(alice.chatId, WITHIN)).rejects.toMatchObject({
    code: /chat-blocked|chat-is-request/,
  })
})

test('[CORE-5.26] a blocked person is not shown, and is not told', async ({ alice, bob, wires }) => {
  await areTalking(alice, bob)
  await bob.client.chats.block(alice.id)
  await alice.client.typing.send(bob.chatId, WITHIN)
  await expect.poll(() => wires.bob.came.length).toBe(1)
  await laneIsDone(bob, alice.chatId)
  expect(typingIn(bob, alice.chatId)).toEqual([])
  await expect(bob.client.typing.send(alice.chatId, WITHIN)).rejects.toMatchObject({ code: 'chat-blocked' })
})

test('[CORE-5.27] a bot types, and is not told who does', async ({ world, alice, clock }) => {
  const wire = new TypingWire()
  const bot = await world.person('bot', { bot: true, clock, wire })
  await areTalking(alice, bot)
  await alice.client.typing.send(bot.chatId, WITHIN)
  await bot.client.typing.send(alice.chatId, WITHIN)
  await expect.poll(() => typingIn(alice, bot.chatId)).toEqual(['bot'])
  await bot.client['core'].link.call('ping', {})
  expect(wire.came).toEqual([])
})

test('[CORE-5.28] at a relay that does not know such frames everything else works', async ({ world, clock, bob }) => {
  class OldRelayWire extends Wire {
    override outgoing = (frame: Uint8Array): Uint8Array[] => {
      const isNew = [calls.sendEphemeral.tag, calls.followEphemeral.tag].some(tag => tag === frame[1])
      return [isNew ? Uint8Array.of(frame[0] ?? 0, 60, ...frame.subarray(2)) : frame]
    }
  }
  const alice = await world.person('alice', { clock, wire: new OldRelayWire() })
  await areTalking(alice, bob)
  await alice.client.typing.send(bob.chatId, WITHIN)
  await alice.say(bob, 'still here')
  await bob.hears('still here')
})

test('[CORE-5.25] a flood of one member is read four times a second, and shown once', async ({ alice, bob, wires }) => {
  await areTalking(alice, bob)
  const changes: string[] = []
  bob.client.typing.onChange(({ state }) => changes.push(state))
  await alice.client.typing.send(bob.chatId, WITHIN)
  await expect.poll(() => typingIn(bob, alice.chatId)).toEqual(['alice'])
  const [payload] = wires.alice.sent as [Uint8Array]
  const { groups } = bob.client['core']
  const run = groups.run.bind(groups)
  let runs = 0
  const counted = (...work: Parameters<typeof run>) => {
    runs++
    return run(...work)
  }
  Object.assign(groups, { run: counted })
  for (let id = 0; id < 200; id++)
    wires.alice.say(encodeClientFrame({ kind: 'call', name: 'sendEphemeral', id: 100_000 + id, request: { payload } }))
  await expect.poll(() => wires.bob.came.length).toBe(201)
  await alice.say(bob, 'on time')
  await bob.hears('on time')
  expect(changes).toEqual(['typing', 'ended'])
  // For the message and its receipt.
  expect(runs).toBeLessThan(10)
})

base('[CORE-5.25] the memory of typing is bounded, whoever a relay makes up', ({ clock }) => {
  const typists = new Typists(clock)
  const account = (at: number) => toBase32(new Uint8Array(20).fill(at % 256, 0, 10).fill(at >> 8, 10)) as never
  const chat = 'chat' as never
  let changes = 0
  typists.onChange(() => changes++)
  for (let at = 0; at < 3 * typistsMax; at++) {
    typists.mayRead(`group ${at}`)
    typists.typed({ chat, account: account(at), ts: 1, ageMs: 0 })
    typists.typed({ chat, account: account(at), ts: 2, ageMs: 0 })
  }
  expect(typists.now()).toHaveLength(typistsMax)
  expect(changes).toBe(typistsMax)
  expect(typists.mayRead('group new')).toBe(false)
  clock.advance(typingShownMs)
  expect([typists.now(), typists.mayRead('group new'), typists.mayRead('group new')]).toEqual([[], true, false])
  // From the future, from the past, and before what is known.
  typists.typed({ chat, account: account(0), ts: 3, ageMs: -typingShownMs })
  typists.typed({ chat, account: account(0), ts: 3, ageMs: typingShownMs })
  typists.typed({ chat, account: account(0), ts: 2, ageMs: 0 })
  expect(typists.now()).toEqual([])
  clock.advance(typingShownMs)
  expect(clock.timerCount).toBe(0)
})
