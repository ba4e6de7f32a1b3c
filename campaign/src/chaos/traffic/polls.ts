// Bots ask, people vote, and polls close: at a set time, or by the bot.
import { setTimeout as pause } from 'node:timers/promises'
import type { SeededRandom } from '@postern/testkit'
import type { AskedPoll, ClosedReport } from '../check/check-polls.ts'
import type { ToldUpdate } from '../check/check-updates.ts'
import type { Change } from '../check/deeds.ts'
import type { Book } from './book.ts'
import type { BotDoer, Doer, PersonDoer } from './doers.ts'
import type { Room } from './rooms.ts'

const OPTIONS = ['one', 'two', 'three']
/** A vote that was answered this shortly before the end may count or not: clocks of parts may differ by as much. */
const NEAR_MS = 100

type OpenPoll = AskedPoll & {
  room: Room
  votes: Map<string, { first: string; changes: Change[] }>
  /** When voting ends; unknown until the bot has closed it. */
  endMs: number
  /** A clock was wrong meanwhile: which votes are in time cannot be decided here. */
  isExempt: boolean
  /** The author of the closing is unknown: the bot did not learn whether it is closed. */
  isOpenEnded: boolean
}
export type PollsOptions = { book: Book; random: SeededRandom; rooms: readonly Room[]; isAnyClockOff: () => boolean }

export class Polls {
  readonly #options: PollsOptions
  readonly #polls: OpenPoll[] = []
  #stopped = false

  constructor(options: PollsOptions) {
    this.#options = options
  }

  stop(): void {
    this.#stopped = true
  }

  /** Those that were asked and can be checked. */
  get asked(): OpenPoll[] {
    return this.#polls.filter(poll => !poll.isExempt && !poll.isOpenEnded)
  }

  /** Called whenever a clock jumps. */
  clockMoves(): void {
    for (const poll of this.#polls) if (poll.endMs + NEAR_MS > Date.now()) poll.isExempt = true
  }

  async run(bot: BotDoer): Promise<void> {
    const { random, rooms } = this.#options
    const underWay = new Set<Promise<void>>()
    const own = rooms.filter(room => room.members.includes(bot) && room.members.length > 2)
    while (!this.#stopped) {
      const work = this.#poll(bot, random.of(own)).finally(() => underWay.delete(work))
      underWay.add(work)
      await pause(500 + random.below(2500))
    }
    await Promise.all(underWay)
  }

  async #poll(bot: BotDoer, room: Room): Promise<void> {
    const { book, random } = this.#options
    const tag = book.nextTag()
    const isTimed = random.next() < 0.7
    const lastsMs = 1500 + random.below(6000)
    const endMs = isTimed ? Date.now() + lastsMs : Number.MAX_SAFE_INTEGER
    const isOff = this.#options.isAnyClockOff()
    const json = { question: `${tag}?`, options: OPTIONS, ...(isTimed && { close_ts: endMs }) }
    const path = `chats/${room.chatOf(bot)}/polls`
    const { ok } = await book.say({ kind: 'poll', tag, room: room.name, by: bot.name }, () =>
      bot.call<{ id: string; ts: number }>({ path, json }),
    )
    if (ok?.id === undefined) return
    // A relay whose clock was ahead continues from there: every vote may be too late for it.
    const isExempt = isOff || ((ok as { ts?: number }).ts ?? 0) > Date.now() + NEAR_MS
    const poll: OpenPoll = { tag, id: ok.id, by: bot.name, room, votes: new Map(), endMs, isExempt, isOpenEnded: false }
    this.#polls.push(poll)
    const people = room.members.filter((doer): doer is PersonDoer => doer.kind === 'person')
    const voting = Promise.all(people.map(person => this.#vote(person, poll, lastsMs)))
    if (!isTimed) await this.#close(bot, poll, lastsMs)
    await voting
  }

  async #close(bot: BotDoer, poll: OpenPoll, afterMs: number): Promise<void> {
    await pause(this.#options.random.below(afterMs))
    poll.endMs = Date.now()
    const path = `chats/${poll.room.chatOf(bot)}/messages/${poll.id}/close`
    const { outcome } = await bot.insist({ path, key: `close-${poll.tag}` })
    poll.isOpenEnded = outcome !== 'acknowledged'
  }

  /** Once or twice, until the poll is over. */
  async #vote(person: PersonDoer, poll: OpenPoll, lastsMs: number): Promise<void> {
    const { random } = this.#options
    const votes = { first: '', changes: [] as Change[] }
    poll.votes.set(person.id, votes)
    for (let count = random.below(3); count > 0; count--) {
      await pause(random.below(lastsMs))
      if (Date.now() > poll.endMs) return
      const option = random.below(OPTIONS.length)
      const change: Change = { value: String(option), outcome: 'doubtful' }
      votes.changes.push(change)
      const chat = poll.room.chatOf(person)
      const { outcome } = await person.do('vote', { chat, message: poll.id, options: [option] })
      const isInTime = Date.now() < poll.endMs - NEAR_MS
      change.outcome = outcome === 'acknowledged' && !isInTime ? 'doubtful' : outcome
      this.#options.book.valueOf('vote', `votes of ${person.name}`, '').changes.push({ value: '', outcome })
    }
  }
}

type ShownPoll = { closed: boolean; options: { voters: { id: string }[] }[] }

/** From the updates of an operator, each one once. */
export function closedReports(party: Doer, updates: readonly ToldUpdate[]): ClosedReport[] {
  const once = new Map(updates.filter(update => update.type === 'poll').map(update => [update.id, update]))
  return [...once.values()].flatMap(({ message }) => {
    const poll = message?.['poll'] as ShownPoll | undefined
    if (!message || !poll?.closed) return []
    const votes = new Map(
      poll.options.flatMap(({ voters }, at) => voters.map(({ id }): [string, string] => [id, String(at)])),
    )
    return [{ party: party.name, id: message.id, votes }]
  })
}
