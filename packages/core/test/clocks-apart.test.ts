// Clocks that are wrong, this machine's or the relay's: the order of a chat stays the relay's, for everyone.
import { HostileRelay, ManualClock, type TestPerson, WITHIN, type World } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { describe, expect } from 'vitest'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

type Clocks = { clock: ManualClock; relayClock: ManualClock }

/** So that no two messages share a millisecond, by any clock. */
function pass({ clock, relayClock }: Clocks, ms: number): void {
  for (const one of [clock, relayClock]) one.advance(ms)
}

/** A conversation of two people, in the relay's order. The clock of one is wrong, and their client may restart. */
class Conversation {
  readonly #world: World
  readonly #clocks: Clocks
  readonly #said: string[] = []
  one: TestPerson
  readonly other: TestPerson

  constructor([one, other]: [TestPerson, TestPerson], { world, ...clocks }: Clocks & { world: World }) {
    this.one = one
    this.other = other
    this.#world = world
    this.#clocks = clocks
  }

  async talk(): Promise<void> {
    await this.#talkInTurns()
    await this.#talkAtOnce()
    await this.#talkInTurns()
  }

  async says(from: TestPerson, to: TestPerson): Promise<void> {
    const text = `${this.#said.length + 1} of ${from.name}`
    pass(this.#clocks, 10)
    await from.say(to, text)
    this.#said.push(text)
  }

  async hearsLast(person: TestPerson): Promise<void> {
    await person.hears(this.#said.at(-1) ?? '')
  }

  async restart(byMs = 0): Promise<void> {
    await this.close()
    this.#clocks.clock.set(byMs)
    await this.reopen()
  }

  async close(): Promise<void> {
    await this.#world.close(this.one)
  }

  async reopen(): Promise<void> {
    this.one = await this.#world.person(this.one.name, { clock: this.#clocks.clock })
  }

  expectOneOrder(): void {
    for (const [person, other] of [
      [this.one, this.other],
      [this.other, this.one],
    ] as const) {
      expect(paged(person, other)).toEqual(this.#said)
      const times = person.client.messages.list(other.chatId, { beforeTs: Number.MAX_SAFE_INTEGER, limit: 100 })
      expect(times.every(({ ts }, at) => ts > (times[at - 1]?.ts ?? 0))).toBe(true)
    }
  }

  /** Each receives the other's message before answering. */
  async #talkInTurns(): Promise<void> {
    await this.says(this.one, this.other)
    await this.hearsLast(this.other)
    await this.says(this.other, this.one)
    await this.hearsLast(this.one)
  }

  /** The one reads the other's message only when the relay has accepted, after it, their own. */
  async #talkAtOnce(): Promise<void> {
    const relay = new HostileRelay(this.one.wire)
    const late = relay.holdBack(frame => frame.kind === 'deliver')
    for (const _ of [1, 2]) {
      await this.says(this.other, this.one)
      await this.says(this.one, this.other)
    }
    const heard = this.#said.at(-2) ?? ''
    await expect.poll(() => late.length).toBeGreaterThan(1)
    pass(this.#clocks, 10)
    relay.repent()
    for (const frame of late) relay.say(frame)
    await this.one.hears(heard)
    await this.hearsLast(this.other)
  }
}

/** Page by page, two at a time. */
function paged(person: TestPerson, other: TestPerson): string[] {
  const texts: string[] = []
  for (let beforeTs = Number.MAX_SAFE_INTEGER; ; ) {
    const page = person.client.messages.list(other.chatId, { beforeTs, limit: 2 })
    texts.unshift(...page.map(({ text }) => text ?? ''))
    if (!page[0]) return texts
    beforeTs = page[0].ts
  }
}

const test = base
  // All clocks agree at first.
  .extend('clock', ({ relayClock }) => new ManualClock(relayClock.nowMs()))
  .extend('worldOptions', ({ relayClock }) => ({ relayClock }))
  .extend('alice', ({ world, clock }) => world.person('alice', { clock }))
  .extend('bob', ({ world, relayClock }) => world.person('bob', { clock: new ManualClock(relayClock.nowMs()) }))
  .extend('conversation', ({ alice, bob, world, clock, relayClock }) => {
    return new Conversation([alice, bob], { world, clock, relayClock })
  })

describe('a clock three days behind', () => {
  test('[CORE-21.4] from the start on, over a restart, and until it is set right', async ({ clock, conversation }) => {
    await conversation.talk()
    await conversation.restart(-3 * DAY_MS)
    await conversation.talk()
    await conversation.restart()
    await conversation.talk()
    clock.set(3 * DAY_MS)
    await conversation.talk()
    conversation.expectOneOrder()
  })

  test('[CORE-21.4] set back while the client runs, then restarted, then set right', async ({
    clock,
    conversation,
  }) => {
    await conversation.talk()
    clock.set(-3 * DAY_MS)
    await conversation.talk()
    await conversation.restart()
    await conversation.talk()
    await conversation.restart(3 * DAY_MS)
    await conversation.talk()
    conversation.expectOneOrder()
  })

  test('[CORE-21.4] with a new account, which knows no other time', async ({ world, bob, clock, relayClock }) => {
    clock.set(-3 * DAY_MS)
    const carol = await world.person('carol', { clock })
    const conversation = new Conversation([carol, bob], { world, clock, relayClock })
    await conversation.says(bob, carol)
    await conversation.hearsLast(carol)
    await conversation.talk()
    clock.set(3 * DAY_MS)
    await conversation.talk()
    conversation.expectOneOrder()
  })

  test('[CORE-21.4] with a day of words that wait', async ({ alice, bob, relayClock, conversation }) => {
    await conversation.talk()
    await conversation.close()
    for (const _ of [1, 2, 3, 4]) {
      await conversation.says(bob, alice)
      relayClock.set(6 * HOUR_MS)
    }
    await conversation.reopen()
    await conversation.talk()
    conversation.expectOneOrder()
  })

  test('[CORE-21.4] of two edits the later one counts', async ({ alice, bob, clock, relayClock }) => {
    const { id } = await alice.say(bob, 'first')
    await bob.hears('first')
    const edit = async (text: string) => await alice.client.messages.edit(bob.chatId, { message: id, text }, WITHIN)
    pass({ clock, relayClock }, 10)
    await edit('second')
    clock.set(-3 * DAY_MS)
    pass({ clock, relayClock }, 10)
    await edit('third')
    await bob.next('edited', event => event.message.text === 'third')
    expect(alice.texts(bob)).toEqual(['third'])
  })
})

test('[CORE-21.6] whose clock was set back opens chats with keys that are newer than it', async ({
  bob,
  conversation,
}) => {
  await conversation.restart(-3 * DAY_MS)
  await conversation.says(conversation.one, bob)
  await conversation.hearsLast(bob)
  conversation.expectOneOrder()
})

describe('the clock of the relay', () => {
  test.for<[what: string, byMs: number]>([
    ['an hour', HOUR_MS],
    ['five days', 5 * DAY_MS],
  ])(
    '[CORE-21.4] %s ahead for a while, over a restart, and set right',
    async ([, byMs], { relayClock, conversation }) => {
      await conversation.talk()
      relayClock.set(byMs)
      await conversation.talk()
      await conversation.restart()
      await conversation.talk()
      relayClock.set(-byMs)
      await conversation.talk()
      await conversation.restart()
      await conversation.talk()
      conversation.expectOneOrder()
    },
  )

  test('[CORE-21.4] nearly as far ahead as is believed, then further, then less', async ({
    relayClock,
    conversation,
  }) => {
    for (const byMs of [9.9 * 60_000, 0.2 * 60_000, HOUR_MS, -HOUR_MS]) {
      relayClock.set(byMs)
      await conversation.talk()
    }
    conversation.expectOneOrder()
  })

  test('[CORE-21.4] forty days behind', async ({ clock, conversation }) => {
    await conversation.talk()
    clock.set(40 * DAY_MS)
    await conversation.talk()
    await conversation.restart()
    await conversation.talk()
    conversation.expectOneOrder()
  })
})
