// Looks for the end of silenced alerts every minute: an Alertmanager never reports a silenced group as resolved.
import type { Client } from '@postern/core'
import { type Clock, gatewayLimits, hookLimits, type Log, LogThrottle, logFault, pause } from '@postern/protocol'
import { isFields } from '../formats/fields.ts'
import type { StoredHook } from '../hooks.ts'
import { type AlertsSubject, alertsOf, type GroupSilence, isFinished, resolvedByLook } from './alert-group.ts'
import type { Alertmanager } from './alertmanager.ts'
import { changedEntry, type LivingEntry } from './entry.ts'
import type { LivingStore } from './living-store.ts'
import type { MessageBoard } from './message-board.ts'
import { alertKey } from './read-alerts.ts'
import type { ShowContext } from './show-alerts.ts'
import type { Silences } from './silences.ts'

const limits = hookLimits.alertmanager

export type WatchParts = {
  client: Client
  store: LivingStore
  board: MessageBoard
  manager: Alertmanager
  silences: Silences
  hookOf(id: string): StoredHook | undefined
  showing(hook: StoredHook): ShowContext
  clock: Clock
  log: Log
}

type Watched = { entry: LivingEntry; subject: AlertsSubject }
type Looked = 'looked' | 'away'

export class SilenceWatch {
  readonly #parts: WatchParts
  readonly #stop = new AbortController()
  readonly #faults: LogThrottle
  /** By the entry's id: how often in a row an alert was absent. Counted again after a restart. */
  readonly #absent = new Map<string, Map<string, number>>()
  #running: Promise<void> = Promise.resolve()

  constructor(parts: WatchParts) {
    this.#parts = parts
    this.#faults = new LogThrottle(parts.clock, gatewayLimits.faultSaidEveryMs)
  }

  start(): void {
    this.#running = this.#run()
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#parts
    while (!this.#stop.signal.aborted) {
      await pause(clock, limits.lookEveryMs, this.#stop.signal)
      try {
        await this.#lookAtAll()
      } catch (error) {
        const what = 'silenced alerts not looked at; will retry'
        this.#faults.say(what, () => logFault(error, { what, log }))
      }
    }
  }

  async #lookAtAll(): Promise<void> {
    const watched = this.#watched()
    const ids = new Set(watched.map(({ entry }) => entry.id))
    for (const id of this.#absent.keys()) if (!ids.has(id)) this.#absent.delete(id)
    for (const { entry } of watched) {
      if (this.#stop.signal.aborted) return
      // The others would wait for the same Alertmanagers in vain.
      if ((await this.#lookAt(entry)) === 'away') return
    }
  }

  #watched(): Watched[] {
    const nowMs = this.#parts.clock.nowMs()
    return this.#parts.store.all().flatMap(entry => {
      const { subject } = entry
      if (subject.kind !== 'alerts' || isFinished(subject)) return []
      return subject.silence || nowMs < (subject.lookUntilMs ?? 0) ? [{ entry, subject }] : []
    })
  }

  async #lookAt(entry: LivingEntry): Promise<Looked> {
    const subject = this.#groupOf(entry)
    if (!subject) return 'looked'
    const { silence } = subject
    if (silence && (await this.#lookAtSilence(entry, { ...subject, silence })) === 'away') return 'away'
    const found = await this.#parts.manager.alerts(subject.matchers)
    if (found.kind !== 'done') return 'away'
    const firing = new Set(found.value.filter(isFields).map(alertKey))
    await this.#note(entry, firing)
    return 'looked'
  }

  async #lookAtSilence(entry: LivingEntry, subject: AlertsSubject & { silence: GroupSilence }): Promise<Looked> {
    const { silences, manager, board, clock } = this.#parts
    const { stage, id, untilMs, isDoubtful, mayBeDouble } = subject.silence
    // A press that is being carried out settles itself.
    if (stage === 'asked' && !isDoubtful) return 'looked'
    if (stage === 'asked') await silences.settleDoubt(entry, subject)
    else {
      if (mayBeDouble) await silences.settleDoubles(entry, subject)
      const active = await manager.isActive(id ?? '')
      if (active.kind !== 'done') return 'away'
      if (active.value && clock.nowMs() < untilMs) return 'looked'
      await silences.noteEnd(entry)
    }
    board.showInBackground(entry)
    return 'looked'
  }

  async #note(entry: LivingEntry, firing: ReadonlySet<string>): Promise<void> {
    const { client, store, board, hookOf, showing, clock } = this.#parts
    const [now, subject, hook] = [store.get(entry), this.#groupOf(entry), hookOf(entry.hook)]
    if (!now || !subject || !hook) return
    const over = this.#overNow(entry.id, { subject, firing })
    if (over.length === 0) return
    const isQuiet = hook.options?.quiet_resolve ?? false
    const elapsedMs = client.elapsed.nowMs()
    const around = { nowMs: clock.nowMs(), elapsedMs, words: showing(hook).words, isQuiet }
    await store.put(changedEntry(now, resolvedByLook(subject, over, around), elapsedMs))
    board.showInBackground(entry)
  }

  #overNow(id: string, { subject, firing }: { subject: AlertsSubject; firing: ReadonlySet<string> }): string[] {
    const before = this.#absent.get(id) ?? new Map<string, number>()
    const absent = alertsOf(subject)
      .filter(({ key, isOver }) => !isOver && !firing.has(key))
      .map(({ key }) => [key, (before.get(key) ?? 0) + 1] as const)
    this.#absent.set(id, new Map(absent))
    return absent.flatMap(([key, looks]) => (looks >= limits.absentLooks ? [key] : []))
  }

  #groupOf(entry: LivingEntry): AlertsSubject | undefined {
    const subject = this.#parts.store.get(entry)?.subject
    return subject?.kind === 'alerts' ? subject : undefined
  }
}
