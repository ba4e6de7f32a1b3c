// Remembers the posts to each hook across restarts, within bounds: the oldest entry is removed first.
import type { ElapsedClock, RecordChange, Records } from '@postern/core'
import { hookLimits } from '@postern/protocol'
import type { PostFields } from './formats/fields.ts'
import { formats, type StorageKey } from './formats/formats.ts'

/** What a message is about, and, as its format says it, what that becomes once it is written. */
export type PostSubject = { at: MemoryKey<StorageKey>; [becomes: string]: unknown }

type OfEveryFormat = {
  /**
   * A post that was begun. `attempt`: the name under which its messages are sent. `lastPart`: the last of them, by which it is
   * known whether all are; absent once its sender was told that nobody knows. `isWritten`: so said versions before this one.
   */
  attempt: { attempt: string; body: string; lastPart?: number; isWritten?: true }
  /** A post that was answered, since its answer or the end of its connection. `wasReset`: its sender cannot have heard the answer. */
  answered: { attempt: string; wasReset?: true }
  /** The last message about a group or a branch, as long as nobody knows whether it was written. */
  open: { attempt: string; about: PostSubject }
  /** What was written under a sender's Idempotency-Key. */
  key: { body: string }
}
export type MemoryValues = OfEveryFormat & Record<StorageKey, PostFields>
/** All times here are of those that pass: a clock that is set makes nothing old. */
export type MemoryClock = Pick<ElapsedClock, 'nowMs'>
export type MemoryKind = keyof MemoryValues
export type MemoryKey<K extends MemoryKind = MemoryKind> = { hook: string; kind: K; name: string }
type ChangeAt<K extends MemoryKind> = { at: MemoryKey<K> } & ({ put: MemoryValues[K] } | { forget: true })
export type MemoryChange = { [K in keyof OfEveryFormat]: ChangeAt<K> }[keyof OfEveryFormat] | ChangeAt<StorageKey>

type Entry = { ts: number; value: MemoryValues[MemoryKind] }
type Row = { key: string; entry: Entry }
/** A change, and the names of older entries that make room for it. */
type Step = { change: MemoryChange; leaving: string[] }

type Bounds = { keptMs: number; keptMax: number }

const ownBounds: Record<keyof OfEveryFormat, Bounds> = {
  attempt: hookLimits.attempts,
  answered: hookLimits.answered,
  open: hookLimits.attempts,
  key: hookLimits.keys,
}

const allBounds = new Map<string, Bounds>(Object.entries(ownBounds))
for (const { storageKey: shelf, bounds } of Object.values(formats)) if (shelf && bounds) allBounds.set(shelf, bounds)

const kinds = [...allBounds.keys()] as MemoryKind[]

function boundsOf(kind: MemoryKind): Bounds {
  const bounds = allBounds.get(kind)
  if (!bounds) throw new TypeError(`nothing is remembered of the kind ${kind}`)
  return bounds
}

export class HookMemory {
  readonly #records: Records
  readonly #elapsed: MemoryClock
  /** By kind and hook, then by name; in the order of their times. */
  readonly #kept = new Map<string, Map<string, Entry>>()
  /** Keys of entries that are on their way to the disk. */
  readonly #coming = new Set<string>()
  /** Keys of entries that are in memory alone. */
  readonly #held = new Set<string>()

  constructor(records: Records, elapsed: MemoryClock) {
    this.#records = records
    this.#elapsed = elapsed
    for (const { key, entry } of readRows(records)) {
      const [kind, hook = '', name = ''] = key.split('/')
      this.#shelf({ kind: kind as MemoryKind, hook }).set(name, entry)
    }
  }

  /** An entry that is too old counts as forgotten. */
  get<K extends MemoryKind>({ hook, kind, name }: MemoryKey<K>): (MemoryValues[K] & { ts: number }) | undefined {
    const entry = this.#kept.get(`${kind}/${hook}`)?.get(name)
    if (!entry || this.#isTooOld(kind, entry)) return undefined
    return { ...(entry.value as MemoryValues[K]), ts: entry.ts }
  }

  /** All changes or none; durable when it resolves. */
  async write(...changes: MemoryChange[]): Promise<void> {
    await this.#write(changes, rows => this.#records.change(...rows))
  }

  /** The same, durable with the next write that is: for what has to be on the disk before something that is written behind it. */
  async writeAhead(...changes: MemoryChange[]): Promise<void> {
    await this.#write(changes, rows => this.#records.changeAhead(...rows))
  }

  async #write(changes: MemoryChange[], keep: (rows: RecordChange[]) => Promise<void>): Promise<void> {
    const ts = this.#elapsed.nowMs()
    const steps = this.#steps(changes)
    const coming = changes.filter(change => 'put' in change).map(({ at }) => keyOf(at))
    for (const key of coming) this.#coming.add(key)
    try {
      await keep(steps.flatMap(step => rowsOf(step, ts)))
    } finally {
      for (const key of coming) this.#coming.delete(key)
    }
    this.#apply(steps, ts)
  }

  /** In memory alone, for changes that could not be written, or need not be: they are found as long as this process runs. */
  hold(...changes: MemoryChange[]): void {
    this.#apply(this.#steps(changes), this.#elapsed.nowMs())
    for (const change of changes) if ('put' in change) this.#held.add(keyOf(change.at))
  }

  isOnlyHeld(at: MemoryKey): boolean {
    return this.#held.has(keyOf(at))
  }

  /**
   * At once in memory, and on the disk with the next write that waits for it, or soon. For what is found out again when a kill
   * undoes it. A key that is being written is left out: this change would undo the newer one.
   */
  changeSoon(...changes: MemoryChange[]): void {
    const ts = this.#elapsed.nowMs()
    const steps = this.#steps(changes.filter(({ at }) => !this.#coming.has(keyOf(at))))
    if (steps.length === 0) return
    this.#apply(steps, ts)
    // A failure, with the disk or at the stop, loses what a kill loses.
    this.#records.changeAhead(...steps.flatMap(step => rowsOf(step, ts))).catch(() => undefined)
  }

  /** The removal of everything about a hook, to be written with the removal of the hook. */
  forgetting(hook: string): RecordChange[] {
    return kinds.flatMap(kind =>
      [...(this.#kept.get(`${kind}/${hook}`)?.keys() ?? [])].map(
        (name): RecordChange => ({ key: keyOf({ kind, hook, name }), remove: true }),
      ),
    )
  }

  forgotten(hook: string): void {
    for (const kind of kinds) this.#kept.delete(`${kind}/${hook}`)
    for (const key of this.#held) if (key.split('/')[1] === hook) this.#held.delete(key)
  }

  /** At the start: what became too old while nothing came, and what a post wrote that outlived its hook. */
  async tidy(isHook: (id: string) => boolean): Promise<void> {
    for (const [place, shelf] of this.#kept) {
      const [kind, hook] = place.split('/') as [MemoryKind, string]
      const leaving = [...shelf].filter(([, entry]) => !isHook(hook) || this.#isTooOld(kind, entry))
      if (leaving.length === 0) continue
      await this.#records.change(
        ...leaving.map(([name]): RecordChange => ({ key: keyOf({ kind, hook, name }), remove: true })),
      )
      for (const [name] of leaving) shelf.delete(name)
    }
  }

  #steps(changes: MemoryChange[]): Step[] {
    return changes.map(change => ({ change, leaving: 'put' in change ? this.#crowdedOut(change.at) : [] }))
  }

  #apply(steps: Step[], ts: number): void {
    for (const { change, leaving } of steps) {
      const shelf = this.#shelf(change.at)
      for (const name of [...leaving, change.at.name]) {
        shelf.delete(name)
        this.#held.delete(keyOf({ ...change.at, name }))
      }
      if ('put' in change) shelf.set(change.at.name, { ts, value: change.put })
    }
  }

  /** A new entry pushes out the oldest: two at most, so that a full shelf is emptied little by little. */
  #crowdedOut(coming: MemoryKey): string[] {
    const { kind, name: itself } = coming
    const shelf = this.#shelf(coming)
    const isFull = shelf.size >= boundsOf(kind).keptMax
    const leaving: string[] = []
    for (const [name, entry] of shelf) {
      const mustGo = this.#isTooOld(kind, entry) || (isFull && leaving.length === 0)
      if (!mustGo || leaving.length === 2) break
      if (name !== itself) leaving.push(name)
    }
    return leaving
  }

  #isTooOld(kind: MemoryKind, { ts }: Entry): boolean {
    return ts <= this.#elapsed.nowMs() - boundsOf(kind).keptMs
  }

  #shelf({ kind, hook }: Pick<MemoryKey, 'kind' | 'hook'>): Map<string, Entry> {
    const name = `${kind}/${hook}`
    const known = this.#kept.get(name)
    if (known) return known
    const made = new Map<string, Entry>()
    this.#kept.set(name, made)
    return made
  }
}

const keyOf = ({ kind, hook, name }: MemoryKey): string => `${kind}/${hook}/${name}`

function rowsOf({ change, leaving }: Step, ts: number): RecordChange[] {
  const key = keyOf(change.at)
  const gone = leaving.map((name): RecordChange => ({ key: keyOf({ ...change.at, name }), remove: true }))
  if ('put' in change) return [...gone, { key, put: JSON.stringify({ ts, value: change.put } satisfies Entry) }]
  return [...gone, { key, remove: true }]
}

function readRows(records: Records): Row[] {
  return records
    .all()
    .filter(({ key }) => kinds.includes(key.split('/', 1)[0] as MemoryKind))
    .map(({ key, value }) => ({ key, entry: JSON.parse(value) as Entry }))
    .toSorted((a, b) => a.entry.ts - b.entry.ts)
}
