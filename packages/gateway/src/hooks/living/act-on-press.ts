// Acts on a press: takes a group, silences it, or ends the silence, if the person may. Stored before anything is asked.
import type { Client } from '@postern/core'
import { type AccountId, type Clock, hookLimits, type PressId } from '@postern/protocol'
import type { StoredHook } from '../hooks.ts'
import type { Strangers } from '../strangers.ts'
import { oneLine } from '../texts/clean.ts'
import { shortened } from '../texts/fit-lines.ts'
import { shownTime } from '../words/russian-living.ts'
import type { GatewayWords } from '../words/words.ts'
import { type AlertsSubject, type GroupSilence, isFinished } from './alert-group.ts'
import type { LivingEntry } from './entry.ts'
import type { LivingStore } from './living-store.ts'
import type { MessageBoard } from './message-board.ts'
import { pressed as data, dataOfTake, isTake, type ShowContext, spanMs } from './show-alerts.ts'
import { authorOf, type SilenceEnd, type Silences } from './silences.ts'

/** `number`: the press's place in the journal. */
export type PressContext = {
  number: number
  from: { id: AccountId; name: string }
  data: string
  press: PressId
  entry: LivingEntry
}

export type PressParts = {
  client: Client
  store: LivingStore
  board: MessageBoard
  /** Absent without an Alertmanager in the settings. */
  silences: Silences | undefined
  hookOf(id: string): StoredHook | undefined
  showing(hook: StoredHook): ShowContext
  owners: readonly AccountId[]
  strangers: Strangers
  clock: Clock
}

type Acting = { pressed: PressContext; subject: AlertsSubject; hook: StoredHook; words: GatewayWords['living'] }

export class PressAction {
  readonly #parts: PressParts

  constructor(parts: PressParts) {
    this.#parts = parts
  }

  /** Returns the answer to the person. */
  async act(pressed: PressContext): Promise<string | undefined> {
    const { entry, from } = pressed
    const { hookOf, showing, strangers } = this.#parts
    const hook = hookOf(entry.hook)
    if (!hook || entry.subject.kind !== 'alerts') return undefined
    const words = showing(hook).words.living
    if (!this.#mayPress(hook, from.id)) return strangers.mayAnswer(from.id) ? words.toasts.notAllowed : undefined
    if (isFinished(entry.subject)) return words.toasts.over
    const acting = { pressed, subject: entry.subject, hook, words }
    if (isTake(pressed.data)) return await this.#take(acting)
    if (pressed.data === data.unsilence) return await this.#unsilence(acting)
    const span = pressed.data.startsWith(data.silence) ? pressed.data.slice(data.silence.length) : ''
    return showing(hook).silences.includes(span) ? await this.#silence(acting, span) : undefined
  }

  #mayPress({ options }: StoredHook, account: AccountId): boolean {
    const allow = options?.allow ?? []
    return this.#parts.owners.includes(account) || allow === 'members' || allow.includes(account)
  }

  /** A press that is read again after a kill was acted on: only its outcome is shown. */
  #isDone({ entry, number }: PressContext): boolean {
    return (entry.lastPress ?? 0) >= number
  }

  async #take({ pressed, subject, words }: Acting): Promise<string> {
    const { from } = pressed
    const { ack: before, ...rest } = subject
    let ack = before
    // Somebody who saw another state did not mean this one: of two people at the same moment, the first has it.
    if (!this.#isDone(pressed) && (!before || pressed.data === dataOfTake(before))) {
      const name = shortened(oneLine(from.name), hookLimits.commandWordCharsMax)
      ack = before?.by === from.id ? undefined : { by: from.id, name, ms: this.#parts.clock.nowMs() }
      await this.#store(pressed, { ...rest, ...(ack && { ack }) })
    }
    this.#parts.board.showInBackground(pressed.entry)
    if (!ack) return words.toasts.givenBack
    return ack.by === from.id ? words.toasts.taken : words.toasts.takenBy(ack.name)
  }

  async #silence({ pressed, subject, words }: Acting, span: string): Promise<string | undefined> {
    const { silences, clock } = this.#parts
    if (!silences) return undefined
    const { from, press, entry } = pressed
    const known = subject.silence
    const isRepeat = this.#isDone(pressed) || known?.stage === 'asked'
    if (known?.stage !== 'active' && !this.#isDone(pressed)) {
      const wanted: GroupSilence = {
        press,
        by: authorOf(from),
        untilMs: clock.nowMs() + spanMs(span),
        stage: 'asked',
      }
      // A try in doubt is continued under its own name, so that two presses of an impatient person are one silence.
      const { isDoubtful: _, ...tried } = known ?? wanted
      await this.#store(pressed, { ...subject, silence: tried.stage === 'asked' ? tried : wanted })
    }
    const end = await silences.carryOut(entry, { isRepeat })
    this.#parts.board.showInBackground(entry)
    const now = this.#silenceOf(entry)
    return end === 'done' && now ? words.toasts.silenced(shownTime(now.untilMs, clock.nowMs())) : failed(end, words)
  }

  async #unsilence({ pressed, subject, words }: Acting): Promise<string | undefined> {
    const { silences } = this.#parts
    const { silence } = subject
    if (!silences) return undefined
    if (silence?.stage === 'active' && !this.#isDone(pressed))
      await this.#store(pressed, { ...subject, silence: { ...silence, stage: 'ending' } })
    const end = await silences.carryOut(pressed.entry, { isRepeat: false })
    this.#parts.board.showInBackground(pressed.entry)
    return end === 'done' ? words.toasts.unsilenced : failed(end, words)
  }

  #silenceOf(entry: LivingEntry): GroupSilence | undefined {
    const subject = this.#parts.store.get(entry)?.subject
    return subject?.kind === 'alerts' ? subject.silence : undefined
  }

  /** Durable before anything is asked or shown. */
  async #store({ entry, number }: PressContext, subject: AlertsSubject): Promise<void> {
    await this.#parts.store.put({ ...entry, rev: entry.rev + 1, lastPress: number, subject })
  }
}

const failed = (end: SilenceEnd, words: GatewayWords['living']): string =>
  end === 'refused' ? words.toasts.refused : words.toasts.away
