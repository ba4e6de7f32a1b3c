// Makes and ends the silence of a group, each step stored before the Alertmanager is asked: a kill makes no second one.
import type { Client } from '@postern/core'
import { type Clock, hookLimits } from '@postern/protocol'
import { oneLine } from '../texts/clean.ts'
import { shortened } from '../texts/fit-lines.ts'
import type { AlertsSubject, GroupSilence } from './alert-group.ts'
import type { Alertmanager, ManagerAnswer, WantedSilence } from './alertmanager.ts'
import type { LivingEntry } from './entry.ts'
import type { EntryKey, LivingStore } from './living-store.ts'

const { lookAfterMs } = hookLimits.alertmanager
const NAME_CHARS = 64

export type SilencesParts = { client: Client; store: LivingStore; manager: Alertmanager; clock: Clock }
type Silenced = AlertsSubject & { silence: GroupSilence }
export type SilenceEnd = ManagerAnswer<unknown>['kind']

export class Silences {
  readonly #parts: SilencesParts

  constructor(parts: SilencesParts) {
    this.#parts = parts
  }

  /** Continues what a stored silence is about to become. `isRepeat`: an earlier try may still be under way. */
  async carryOut(key: EntryKey, { isRepeat }: { isRepeat: boolean }): Promise<SilenceEnd> {
    const [entry, subject] = this.#groupOf(key)
    switch (subject?.silence?.stage) {
      case undefined:
      case 'active':
        return 'done'
      case 'asked':
        return await this.#make(entry as LivingEntry, subject as Silenced, isRepeat)
      case 'ending':
        return await this.#end(entry as LivingEntry, subject as Silenced)
    }
  }

  async #make(entry: LivingEntry, { silence, matchers }: Silenced, isRepeat: boolean): Promise<SilenceEnd> {
    const { manager, clock } = this.#parts
    const { by, untilMs } = silence
    const wanted = { matchers, startMs: clock.nowMs(), untilMs, by, ...this.#labelOf(entry, silence) }
    const made = await manager.silence(wanted)
    const tried: GroupSilence = isRepeat ? { ...silence, mayBeDouble: true } : silence
    if (made.kind === 'doubt') await this.#change(entry, { ...tried, isDoubtful: true })
    else await this.#settle(entry, { silence: tried, id: made.kind === 'done' ? made.value : undefined })
    return made.kind
  }

  /** A try of which nothing was known: whether it made a silence. */
  async settleDoubt(entry: LivingEntry, subject: Silenced): Promise<void> {
    const { silence, matchers } = subject
    const found = await this.#parts.manager.find({ matchers, ...this.#labelOf(entry, silence) })
    if (found.kind === 'done') await this.#settle(entry, { silence, id: found.value })
  }

  async #settle(entry: LivingEntry, { silence, id }: { silence: GroupSilence; id: string | undefined }): Promise<void> {
    const { isDoubtful: _, ...rest } = silence
    await this.#change(entry, id === undefined ? undefined : { ...rest, stage: 'active', id })
  }

  async #end(key: LivingEntry, before: Silenced): Promise<SilenceEnd> {
    const doubles = before.silence.mayBeDouble ? await this.#endDoubles(key, before) : 'done'
    const ended = doubles === 'done' ? (await this.#parts.manager.endSilence(before.silence.id ?? '')).kind : doubles
    const [entry, subject] = this.#groupOf(key)
    const silence = subject?.silence
    if (entry && silence) await this.#change(entry, ended === 'done' ? undefined : { ...silence, stage: 'active' })
    return ended
  }

  async #endDoubles(entry: LivingEntry, { silence, matchers }: Silenced): Promise<SilenceEnd> {
    const wanted = { matchers, ...this.#labelOf(entry, silence) }
    return (await this.#parts.manager.endDoubles(wanted, silence.id ?? '')).kind
  }

  /** A look later than the try that made the silence: what an Alertmanager carries out later than that has no press. */
  async settleDoubles(entry: LivingEntry, subject: Silenced): Promise<void> {
    const { mayBeDouble: _, ...single } = subject.silence
    if ((await this.#endDoubles(entry, subject)) === 'done') await this.#change(entry, single)
  }

  /** The silence has expired, or somebody ended it elsewhere. */
  async noteEnd(key: EntryKey): Promise<void> {
    await this.#change(key, undefined)
  }

  /** Unless the group changed its silence meanwhile. */
  async #change(key: EntryKey, silence: GroupSilence | undefined): Promise<void> {
    const { store, clock } = this.#parts
    const [entry, subject] = this.#groupOf(key)
    if (!entry || !subject?.silence || (silence && silence.press !== subject.silence.press)) return
    const { silence: _, ...rest } = subject
    const lookUntilMs = (silence?.stage === 'active' ? silence.untilMs : clock.nowMs()) + lookAfterMs
    const wasActive = subject.silence.stage !== 'asked'
    const isSilenced = silence?.stage === 'active'
    const looks = isSilenced || wasActive ? { lookUntilMs } : {}
    await store.put({
      ...entry,
      rev: entry.rev + 1,
      subject: { ...rest, ...looks, ...(silence && { silence }) },
    })
  }

  #groupOf(key: EntryKey): [LivingEntry | undefined, AlertsSubject | undefined] {
    const entry = this.#parts.store.get(key)
    return [entry, entry?.subject.kind === 'alerts' ? entry.subject : undefined]
  }

  /** The id of the press makes it the only one. */
  #labelOf({ chat }: LivingEntry, { press }: GroupSilence): Pick<WantedSilence, 'comment' | 'tag'> {
    const { name } = this.#parts.client.chats.get(chat)
    return { comment: `Postern, ${shortened(oneLine(name), NAME_CHARS)}`, tag: ` (${press})` }
  }
}

/** `Alice (7m2x…)`: anybody may be called Alice. */
export const authorOf = ({ id, name }: { id: string; name: string }): string =>
  `${shortened(oneLine(name), NAME_CHARS)} (${id.slice(0, 4)}…)`
