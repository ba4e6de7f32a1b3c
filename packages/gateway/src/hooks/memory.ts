// Remembers the posts to each hook across restarts, within bounds: the oldest entry is removed first.
import type { ElapsedClock, RecordChange, Records } from '@postern/core'
import { hookLimits } from '@postern/protocol'
import type { PostFields } from './formats/fields.ts'
import { formats, type StorageKey } from './formats/formats.ts'

/** The subject of a message and, in its format's terms, the state that the subject has once the message is sent. */
export type PostSubject = { at: MemoryKey<StorageKey>; [becomes: string]: unknown }

type OfEveryFormat = {
  /**
   * A post that was begun. `attempt`: the name under which its messages are sent. `lastPart`: the last of them, which
   * shows whether all were sent; absent once its sender was answered that the outcome is unknown. `isWritten`: written
   * by earlier versions.
   */
  attempt: { attempt: string; body: string; lastPart?: number; isWritten?: true }
  /**
   * A post that was answered, timed from its answer or the end of its connection. `wasReset`: its sender cannot have
   * received the answer.
   */
  answered: { attempt: string; wasReset?: true }
  /** The last message about a group or a branch, while it is unknown whether it was sent. */
  open: { attempt: string; about: PostSubject }
  /** The post that was sent under a sender's Idempotency-Key. */
  key: { body: string }
}
export type MemoryValues = OfEveryFormat & Record<StorageKey, PostFields>
/** All times here are elapsed times: setting the clock makes nothing old. */
export type MemoryClock = Pick<ElapsedClock, 'nowMs'>
export type MemoryKind = keyof MemoryValues
export type MemoryKey<K extends MemoryKind = MemoryKind> = { hook: string; kind: K; name: string }
type ChangeAt<K extends MemoryKind> = { at: MemoryKey<K> } & ({ put: MemoryValues[K] } | { forget: true })
export type MemoryChange = { [K in keyof OfEveryFormat]: ChangeAt<K> }[keyof OfEveryFormat] | ChangeAt<StorageKey>

type Entry = { ts: number; value: MemoryValues[MemoryKind] }
type Row = { key: string; entry: Entry }
/** A change, and the names of older entries that it displaces. */
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
  /** By kind and hook, then by name; ordered by time. */
  readonly #kept = new Map<string, Map<string, Entry>>()
  /** Keys of entries that are being written to the disk. */
  readonly #coming = new Set<string>()
  /** Keys of entries that are only in memory. */
  readonly #held = new Set<string>()

  constructor(records: Records, elapsed: MemoryClock) {
    this.#records = records
    this.#elapsed = elapsed
    for (const { key, entry } of readRows(records)) {
      const [kind, hook = '', name = ''] = key.split('/')
      this.#shelf({ kind: kind as MemoryKind, hook }).set(name, entry)
    }
  }

  /** An expired entry counts as forgotten. */
  get<K extends MemoryKind>({ hook, kind, name }: MemoryKey<K>): (MemoryValues[K] & { ts: number }) | undefined {
    const entry = this.#kept.get(`${kind}/${hook}`)?.get(name)
    if (!entry || this.#isTooOld(kind, entry)) return undefined
    return { ...(entry.value as MemoryValues[K]), ts: entry.ts }
  }

  /** All changes or none; durable when it resolves. */
  async write(...changes: MemoryChange[]): Promise<void> {
    await this.#write(changes, rows => this.#records.change(...rows))
  }

  /**
   * Like `write`, but durable with the next durable write: for entries that must be on the disk before a later write
   * is.
   */
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

  /** In memory alone, for changes that could not be written or need not be: they last as long as this process. */
  hold(...changes: MemoryChange[]): void {
    this.#apply(this.#steps(changes), this.#elapsed.nowMs())
    for (const change of changes) if ('put' in change) this.#held.add(keyOf(change.at))
  }

  isOnlyHeld(at: MemoryKey): boolean {
    return this.#held.has(keyOf(at))
  }

  /**
   * Immediately in memory, and on the disk with the next durable write, or soon. For state that can be found out again
   * if a kill undoes it. A key that is being written is left out: this change would undo the newer one.
   */
  changeSoon(...changes: MemoryChange[]): void {
    const ts = this.#elapsed.nowMs()
    const steps = this.#steps(changes.filter(({ at }) => !this.#coming.has(keyOf(at))))
    if (steps.length === 0) return
    this.#apply(steps, ts)
    // A failure, of the disk or at the stop, loses what a kill would lose.
    this.#records.changeAhead(...steps.flatMap(step => rowsOf(step, ts))).catch(() => undefined)
  }

  /** The removal of everything about a hook, to be written together with the removal of the hook. */
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

  /** At the start: removes entries that expired while nothing came, and those of a post that outlived its hook. */
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

  /** A new entry displaces the oldest: at most two, so that a full shelf shrinks gradually. */
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
