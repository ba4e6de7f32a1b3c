// Clocks that are wrong, this machine's or the relay's: the order of a chat stays the relay's, for everybody.
import { HostileRelay, ManualClock, type Person, WITHIN, World } from '@postern/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

let world: World
let relayClock: ManualClock
let clock: ManualClock
let alice: Person
let bob: Person
let count: number
let said: string[]

beforeEach(async () => {
  const startMs = Date.now()
  relayClock = new ManualClock(startMs)
  clock = new ManualClock(startMs)
  world = await World.start({ relayClock })
  alice = await world.person('alice', { clock })
  bob = await world.person('bob', { clock: new ManualClock(startMs) })
  count = 0
  said = []
})
afterEach(() => world.stop())

/** So that no two words are of one millisecond, by any clock. */
function pass(ms: number): void {
  for (const one of [clock, relayClock]) one.advance(ms)
}

async function says(from: Person, to: Person): Promise<void> {
  const text = `${++count} of ${from.name}`
  pass(10)
  await from.say(to, text)
  said.push(text)
}

/** Each hears the other before answering. */
async function talkInTurns(): Promise<void> {
  await says(alice, bob)
  await bob.hears(said.at(-1) ?? '')
  await says(bob, alice)
  await alice.hears(said.at(-1) ?? '')
}

/** Alice reads what bob has said only when the relay has taken, behind it, what she says herself. */
async function talkAtOnce(): Promise<void> {
  const relay = new HostileRelay(alice.wire)
  const late: Parameters<typeof relay.say>[0][] = []
  relay.change(frame => {
    if (frame.kind !== 'deliver') return [frame]
    late.push(frame)
    return []
  })
  for (const _ of [1, 2]) {
    await says(bob, alice)
    await says(alice, bob)
  }
  const heard = said.at(-2) ?? ''
  await expect.poll(() => late.length).toBeGreaterThan(1)
  pass(10)
  relay.repent()
  for (const frame of late) relay.say(frame)
  await alice.hears(heard)
  await bob.hears(said.at(-1) ?? '')
}

async function talk(): Promise<void> {
  await talkInTurns()
  await talkAtOnce()
  await talkInTurns()
}

async function restart(byMs = 0): Promise<void> {
  await world.close(alice)
  clock.set(byMs)
  alice = await world.person('alice', { clock })
  await alice.online()
}

/** Page by page, two at a time. */
function paged(person: Person, other: Person): string[] {
  const texts: string[] = []
  for (let beforeTs = Number.MAX_SAFE_INTEGER; ; ) {
    const page = person.client.messages.list(other.chatId, { beforeTs, limit: 2 })
    texts.unshift(...page.map(({ text }) => text ?? ''))
    if (!page[0]) return texts
    beforeTs = page[0].ts
  }
}

function expectOneOrder(): void {
  for (const [person, other] of [
    [alice, bob],
    [bob, alice],
  ] as const) {
    expect(paged(person, other)).toEqual(said)
    const times = person.client.messages.list(other.chatId, { beforeTs: Number.MAX_SAFE_INTEGER, limit: 100 })
    expect(times.every(({ ts }, at) => ts > (times[at - 1]?.ts ?? 0))).toBe(true)
  }
}

describe('a clock three days behind', () => {
  test('[CORE-21.4] from the start on, over a restart, and until it is set right', async () => {
    await talk()
    await restart(-3 * DAY_MS)
    await talk()
    await restart()
    await talk()
    clock.set(3 * DAY_MS)
    await talk()
    expectOneOrder()
  })

  test('[CORE-21.4] set back while the client runs, then restarted, then set right', async () => {
    await talk()
    clock.set(-3 * DAY_MS)
    await talk()
    await restart()
    await talk()
    await restart(3 * DAY_MS)
    await talk()
    expectOneOrder()
  })

  test('[CORE-21.4] with a new account, which knows no other time', async () => {
    clock.set(-3 * DAY_MS)
    const carol = await world.person('carol', { clock })
    alice = carol
    await says(bob, alice)
    await alice.hears(said.at(-1) ?? '')
    await talk()
    clock.set(3 * DAY_MS)
    await talk()
    expectOneOrder()
  })

  test('[CORE-21.4] with a day of words that wait', async () => {
    await talk()
    await world.close(alice)
    for (const _ of [1, 2, 3, 4]) {
      await says(bob, alice)
      relayClock.set(6 * HOUR_MS)
    }
    alice = await world.person('alice', { clock })
    await alice.online()
    await talk()
    expectOneOrder()
  })

  test('[CORE-21.4] of two edits the later one counts', async () => {
    const { id } = await alice.say(bob, 'first')
    await bob.hears('first')
    const edit = async (text: string) => await alice.client.messages.edit(bob.chatId, { message: id, text }, WITHIN)
    pass(10)
    await edit('second')
    clock.set(-3 * DAY_MS)
    pass(10)
    await edit('third')
    await bob.next('edited', event => event.message.text === 'third')
    expect(alice.texts(bob)).toEqual(['third'])
  })
})

test('[CORE-21.6] whose clock was set back opens chats with keys that are newer than it', async () => {
  await restart(-3 * DAY_MS)
  await says(alice, bob)
  await bob.hears(said.at(-1) ?? '')
  expectOneOrder()
})

describe('the clock of the relay', () => {
  test.each([
    ['an hour', HOUR_MS],
    ['five days', 5 * DAY_MS],
  ])('[CORE-21.4] %s ahead for a while, over a restart, and set right', async (_, byMs) => {
    await talk()
    relayClock.set(byMs)
    await talk()
    await restart()
    await talk()
    relayClock.set(-byMs)
    await talk()
    await restart()
    await talk()
    expectOneOrder()
  })

  test('[CORE-21.4] nearly as far ahead as is believed, then further, then less', async () => {
    for (const byMs of [9.9 * 60_000, 0.2 * 60_000, HOUR_MS, -HOUR_MS]) {
      relayClock.set(byMs)
      await talk()
    }
    expectOneOrder()
  })

  test('[CORE-21.4] forty days behind', async () => {
    await talk()
    clock.set(40 * DAY_MS)
    await talk()
    await restart()
    await talk()
    expectOneOrder()
  })
})
