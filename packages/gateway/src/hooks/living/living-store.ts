// Keeps the entries of living messages in memory and in the database, within bounds for each hook.
import type { ElapsedClock, RecordChange, Records } from '@postern/core'
import { hookLimits, type MessageId } from '@postern/protocol'
import type { LivingEntry } from './entry.ts'
import { isEnded } from './living-subject.ts'

const { keptMax, keptMs } = hookLimits.living

export type EntryKey = Pick<LivingEntry, 'hook' | 'name'>

export const keyOf = ({ hook, name }: EntryKey): string => `${hook}/${name}`

export class LivingStore {
  readonly #records: Records
  readonly #elapsed: Pick<ElapsedClock, 'nowMs'>
  /** By hook, then by name; the one that changed longest ago is first. */
  readonly #byHook = new Map<string, Map<string, LivingEntry>>()
  readonly #byMessage = new Map<MessageId, LivingEntry>()
  /** Keys of entries whose last write failed. */
  readonly #unsaved = new Set<string>()

  constructor(records: Records, elapsed: Pick<ElapsedClock, 'nowMs'>) {
    this.#records = records
    this.#elapsed = elapsed
    const stored = records.all().map(({ value }) => JSON.parse(value) as LivingEntry)
    for (const entry of stored.toSorted((a, b) => a.updatedMs - b.updatedMs)) this.#keep(entry)
  }

  get({ hook, name }: EntryKey): LivingEntry | undefined {
    return this.#byHook.get(hook)?.get(name)
  }

  ofMessage(message: MessageId): LivingEntry | undefined {
    return this.#byMessage.get(message)
  }

  all(): LivingEntry[] {
    return [...this.#byHook.values()].flatMap(shelf => [...shelf.values()])
  }

  isSaved(key: EntryKey): boolean {
    return !this.#unsaved.has(keyOf(key))
  }

  /** Readable immediately, and on the disk no later than the messages that are sent after this call. Durable when it resolves. */
  async put(entry: LivingEntry): Promise<void> {
    await this.#write(entry, rows => this.#records.change(...rows))
  }

  /** Says that the relay has a message or an edit, which can be found out again if a kill undoes it. */
  putSoon(entry: LivingEntry): void {
    this.#write(entry, rows => this.#records.changeAhead(...rows)).catch(() => undefined)
  }

  forgetting(hook: string): RecordChange[] {
    return [...(this.#byHook.get(hook)?.values() ?? [])].map(entry => ({ key: keyOf(entry), remove: true }))
  }

  /** Removes the entries of a hook that was removed. */
  async forget(hook: string): Promise<void> {
    const changes = this.forgetting(hook)
    for (const entry of this.#byHook.get(hook)?.values() ?? []) this.#drop(entry)
    this.#byHook.delete(hook)
    if (changes.length > 0) await this.#records.change(...changes)
  }

  /** At the start: entries whose hook was removed, and those that have not changed for too long. */
  async tidy(isHook: (id: string) => boolean): Promise<void> {
    const oldest = this.#elapsed.nowMs() - keptMs
    const leaving = this.all().filter(({ hook, updatedMs }) => !isHook(hook) || updatedMs < oldest)
    if (leaving.length === 0) return
    await this.#records.change(...leaving.map((entry): RecordChange => ({ key: keyOf(entry), remove: true })))
    for (const entry of leaving) this.#drop(entry)
  }

  async #write(entry: LivingEntry, keep: (rows: RecordChange[]) => Promise<void>): Promise<void> {
    const leaving = this.#crowdedOut(entry)
    for (const old of leaving) this.#drop(old)
    this.#keep(entry)
    const gone = leaving.map((old): RecordChange => ({ key: keyOf(old), remove: true }))
    try {
      await keep([...gone, { key: keyOf(entry), put: JSON.stringify(entry) }])
      this.#unsaved.delete(keyOf(entry))
    } catch (error) {
      this.#unsaved.add(keyOf(entry))
      throw error
    }
  }

  #keep(entry: LivingEntry): void {
    const { hook, name, message } = entry
    const shelf = this.#byHook.get(hook) ?? new Map<string, LivingEntry>()
    this.#byHook.set(hook, shelf)
    const before = shelf.get(name)
    if (before?.message) this.#byMessage.delete(before.message)
    shelf.delete(name)
    shelf.set(name, entry)
    if (message) this.#byMessage.set(message, entry)
  }

  #drop({ hook, name, message }: LivingEntry): void {
    this.#byHook.get(hook)?.delete(name)
    if (message) this.#byMessage.delete(message)
    this.#unsaved.delete(keyOf({ hook, name }))
  }

  /** A message that is finished leaves before one that people may still act on. */
  #crowdedOut({ hook, name }: EntryKey): LivingEntry[] {
    const shelf = this.#byHook.get(hook)
    if (!shelf || shelf.size < keptMax || shelf.has(name)) return []
    const all = [...shelf.values()]
    const leaving = all.find(entry => isEnded(entry.subject)) ?? all[0]
    return leaving ? [leaving] : []
  }
}
