// Bots show buttons, people press them, bots answer, and pressers see the answer.
import { setTimeout as pause } from 'node:timers/promises'
import type { SeededRandom } from '@postern/testkit'
import type { PersonEvent } from '@postern/testkit/processes'
import type { Pressed } from '../check/check-presses.ts'
import type { ToldUpdate } from '../check/check-updates.ts'
import type { Outcome } from '../check/deeds.ts'
import type { Book } from './book.ts'
import type { BotDoer, PersonDoer } from './doers.ts'
import type { Room } from './rooms.ts'

/** A press may be answered within a minute of elapsed time. */
const ANSWERED_WITHIN_MS = 55_000

type Press = {
  by: string | undefined
  outcome: Outcome
  madeMs: number
  toldBy: Set<number>
  answers: Outcome[]
  toasts: Map<string, string>
}
export type PressesOptions = { book: Book; random: SeededRandom; rooms: readonly Room[] }

export class Presses {
  readonly #options: PressesOptions
  readonly #presses = new Map<string, Press>()
  #stopped = false

  constructor(options: PressesOptions) {
    this.#options = options
  }

  stop(): void {
    this.#stopped = true
  }

  async run(bot: BotDoer): Promise<void> {
    const { random, rooms } = this.#options
    const own = rooms.filter(room => room.members.includes(bot))
    while (!this.#stopped) {
      await this.#show(bot, random.of(own))
      await pause(random.below(1500))
    }
  }

  async #show(bot: BotDoer, room: Room): Promise<void> {
    const { book, random } = this.#options
    const tag = book.nextTag()
    const buttons = [
      [
        { text: 'Yes', data: 'yes' },
        { text: 'No', data: 'no' },
      ],
    ]
    const path = `chats/${room.chatOf(bot)}/messages`
    const { ok } = await book.say({ kind: 'buttons', tag, room: room.name, by: bot.name }, () =>
      bot.call<{ id: string }>({ path, json: { text: `${tag}?`, buttons } }),
    )
    const person = random.of(room.members.filter((doer): doer is PersonDoer => doer.kind === 'person'))
    if (ok?.id === undefined) return
    await pause(random.below(300))
    await this.#press(person, { chat: room.chatOf(person), message: ok.id, data: random.of(['yes', 'no']) })
  }

  async #press(person: PersonDoer, fields: { chat: string; message: string; data: string }): Promise<void> {
    const { outcome, ok } = await person.do<{ press_id: string }>('press', fields)
    if (ok) Object.assign(this.#pressOf(ok.press_id), { by: person.name, outcome, madeMs: Date.now() })
  }

  #pressOf(id: string): Press {
    const press = this.#presses.get(id) ?? {
      by: undefined,
      outcome: 'doubtful',
      madeMs: Date.now(),
      toldBy: new Set<number>(),
      answers: [],
      toasts: new Map<string, string>(),
    }
    this.#presses.set(id, press)
    return press
  }

  /** The operator's part: each press is answered when it is first reported. */
  async told(bot: BotDoer, update: ToldUpdate): Promise<void> {
    const { press_id: id } = update['button'] as { press_id: string }
    const press = this.#pressOf(id)
    const isFirst = press.toldBy.size === 0
    press.toldBy.add(update.id)
    if (!isFirst) return
    await pause(this.#options.random.below(1000))
    const path = `presses/${id}/answer`
    const answer = await bot.insist({ path, json: { text: `answer to ${id}` }, key: `answer-${id}` })
    press.answers.push(answer.outcome)
    const sinceMs = Date.now() - press.madeMs
    this.#options.book
      .valueOf('answer', `answers of ${bot.name}`, '')
      .changes.push({ value: '', outcome: answer.outcome })
    if (answer.outcome === 'refused' && answer.error?.includes('minute') && sinceMs < ANSWERED_WITHIN_MS)
      this.#options.book.find({
        wrong: 'refused',
        deed: 'answer',
        what: `${bot.name} was told "${answer.error}" ${sinceMs} ms after press ${id} was made`,
      })
  }

  /** An event is repeated after a kill of the person: each answer counts by its words. */
  shown(person: PersonDoer, { toast }: PersonEvent): void {
    if (toast) this.#pressOf(toast.press_id).toasts.set(`${person.name} ${toast.text}`, person.name)
  }

  get all(): Pressed[] {
    return [...this.#presses].map(([press, { toldBy, toasts, ...rest }]) => ({
      press,
      ...rest,
      toldBy: [...toldBy],
      toasts: [...toasts.values()],
    }))
  }
}
