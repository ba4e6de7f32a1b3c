// Mutated frames from a relay to real clients: none of them crashes, believes forged content, or loses its chats permanently.
import { setTimeout as pause } from 'node:timers/promises'
import { SeededRandom, type TestPerson, WITHIN, World } from '@postern/testkit'
import { bentRelayFrame } from './bend-relay-frames.ts'
import type { Case } from './fuzz-requests.ts'

export type ClientPlan = { frames: number; seed: number }

const PAIRS = 4
const PER_ROUND = 40
const RECORDED_MAX = 60
/** Between two frames: some meet a working client, some one that reconnects. */
const PAUSE_MS_MAX = 8
const GOES_ON_WITHIN_MS = 90_000

type Pair = { alice: TestPerson; bob: TestPerson; recorded: Uint8Array[]; said: Set<string> }

export class ClientFuzz {
  readonly #plan: ClientPlan
  readonly counts: Record<string, number> = { 'frames to clients': 0 }
  readonly cases: Case[] = []
  #rounds = 0

  constructor(plan: ClientPlan) {
    this.#plan = plan
  }

  async run(): Promise<void> {
    const world = await World.start({ relayLimits: { takesPerTargetPerMinute: 1_000_000, takesPerMinute: 1_000_000 } })
    const uncaught = (error: unknown) => this.#fail(`nobody caught ${String(error)}`, Buffer.alloc(0))
    process.on('uncaughtException', uncaught).on('unhandledRejection', uncaught)
    try {
      const pairs = await Promise.all(Array.from({ length: PAIRS }, (_, at) => talkingPair(world, at)))
      const each = Math.ceil(this.#plan.frames / PAIRS)
      await Promise.all(pairs.map((pair, at) => this.#attack(pair, { frames: each, seed: this.#plan.seed + at })))
    } finally {
      await world.stop()
      process.off('uncaughtException', uncaught).off('unhandledRejection', uncaught)
    }
  }

  async #attack(pair: Pair, { frames, seed }: ClientPlan): Promise<void> {
    const random = new SeededRandom(seed)
    let last = Buffer.alloc(0)
    for (let sent = 0; sent < frames && this.cases.length === 0; ) {
      for (let count = 0; count < PER_ROUND && sent < frames; count++, sent++) {
        last = Buffer.from(bentRelayFrame(random.of(pair.recorded), random))
        pair.bob.wire.inject(last)
        this.counts['frames to clients'] = (this.counts['frames to clients'] ?? 0) + 1
        await pause(random.below(PAUSE_MS_MAX))
      }
      const fault = await this.#roundFault(pair)
      if (fault !== undefined) this.#fail(fault, last)
    }
  }

  async #roundFault(pair: Pair): Promise<string | undefined> {
    const mark = String(++this.#rounds)
    try {
      await withinTime(goesOn(pair, mark))
    } catch (error) {
      return `the chat does not go on: ${String(error)}`
    }
    const texts = pair.bob.texts(pair.alice)
    const forged = texts.filter(text => !pair.said.has(text))
    const doubled = texts.filter((text, at) => text !== '' && texts.indexOf(text) < at)
    if (forged.length > 0) return `bob was shown what nobody said: ${JSON.stringify(forged)}`
    return doubled.length > 0 ? `bob was shown twice: ${JSON.stringify(doubled)}` : undefined
  }

  #fail(fault: string, bytes: Uint8Array): void {
    this.cases.push({ what: 'a frame to a client, the last of which was', fault, bytes: Buffer.from(bytes) })
  }
}

async function talkingPair(world: World, at: number): Promise<Pair> {
  const alice = await world.person(`alice ${at}`)
  const bob = await world.person(`bob ${at}`)
  const pair: Pair = { alice, bob, recorded: [], said: new Set(['']) }
  bob.wire.incoming = frame => {
    pair.recorded.push(frame.slice())
    if (pair.recorded.length > RECORDED_MAX) pair.recorded.shift()
    return [frame]
  }
  // From the first frame of a connection: a challenge and a login are mutated, too.
  bob.wire.drop()
  await bob.online()
  for (const mark of ['one', 'two', 'three']) await goesOn(pair, mark)
  return pair
}

/** Each receives the other's messages, after at most one healing. */
async function goesOn({ alice, bob, said }: Pair, mark: string): Promise<void> {
  await alice.hears(await untilSaid(bob, { to: alice, mark, said }))
  await bob.hears(await untilSaid(alice, { to: bob, mark, said }))
}

type Saying = { to: TestPerson; mark: string; said: Set<string> }

/** Every try has another text: an abandoned one may have been sent after all. */
async function untilSaid(person: TestPerson, { to, mark, said }: Saying): Promise<string> {
  const endMs = Date.now() + WITHIN.timeoutMs
  for (let tries = 1; ; tries++) {
    const text = `${person.name} ${mark}, try ${tries}`
    said.add(text)
    try {
      await person.say(to, text)
      return text
    } catch (error) {
      if (Date.now() > endMs) throw error
      await pause(100)
    }
  }
}

async function withinTime(work: Promise<void>): Promise<void> {
  const timer = new AbortController()
  const late = pause(GOES_ON_WITHIN_MS, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`not within ${GOES_ON_WITHIN_MS} ms`)
  })
  // The loser of the race does not matter.
  late.catch(() => undefined)
  work.catch(() => undefined)
  try {
    await Promise.race([work, late])
  } finally {
    timer.abort()
  }
}
