// What must be remembered of the posts to each hook, over restarts and within bounds: the oldest goes first.
import type { PassedTime, RecordChange, Records } from '@postern/core'
import { hookLimits, type MessageId } from '@postern/protocol'

/** What a message is about, and what that becomes once it is written. */
export type About =
  | { at: Place<'group'>; becomes: 'firing' | 'resolved'; identity: string }
  | { at: Place<'run'>; becomes: 'failed'; number: number | null }
  | { at: Place<'run'>; becomes: 'mended' }

export type Remembered = {
  /** A post that was begun: under which name its messages are sent; and whether all of them are, and only the answer may be missing. */
  attempt: { attempt: string; body: string; isWritten?: true }
  /** A post that was answered: its sender may not have heard so; and whether it is known not to have. Since the answer, or the end of the connection. */
  answered: { attempt: string; wasReset?: true }
  /** What was begun last about a group or a branch, as long as nobody knows whether it was written. */
  open: { attempt: string; about: About }
  /** What was written under a sender's Idempotency-Key. */
  key: { body: string }
  /** A group of alerts: its last body, when that was said, and the newest message that it fires. */
  group: { identity: string; saidMs: number; message?: MessageId }
  /** A branch whose pipeline is broken, and since which run. */
  run: { failed: number | null }
}
/** All times here are of those that pass: a clock that is set makes nothing old. */
export type Passed = Pick<PassedTime, 'nowMs'>
export type Kind = keyof Remembered
export type Place<K extends Kind = Kind> = { hook: string; kind: K; name: string }
export type Change = { [K in Kind]: { at: Place<K> } & ({ put: Remembered[K] } | { forget: true }) }[Kind]

type Entry = { ts: number; value: Remembered[Kind] }
type Row = { key: string; entry: Entry }
/** A change, and the names of those that make room for it. */
type Step = { change: Change; leaving: string[] }

const bounds: Record<Kind, { keptMs: number; keptMax: number }> = {
  attempt: hookLimits.attempts,
  answered: hookLimits.answered,
  open: hookLimits.attempts,
  key: hookLimits.keys,
  group: hookLimits.groups,
  run: hookLimits.runs,
}

const kinds = Object.keys(bounds) as Kind[]

export class HookMemory {
  readonly #records: Records
  readonly #passed: Passed
  /** By kind and hook, then by name; in the order of their times. */
  readonly #kept = new Map<string, Map<string, Entry>>()
  /** Keys of what is on its way to the disk. */
  readonly #coming = new Set<string>()
  /** Keys of what is not on the disk. */
  readonly #held = new Set<string>()

  constructor(records: Records, passed: Passed) {
    this.#records = records
    this.#passed = passed
    for (const { key, entry } of readRows(records)) {
      const [kind, hook = '', name = ''] = key.split('/')
      this.#shelf({ kind: kind as Kind, hook }).set(name, entry)
    }
  }

  /** What is too old counts as forgotten. */
  get<K extends Kind>({ hook, kind, name }: Place<K>): (Remembered[K] & { ts: number }) | undefined {
    const entry = this.#kept.get(`${kind}/${hook}`)?.get(name)
    if (!entry || this.#isTooOld(kind, entry)) return undefined
    return { ...(entry.value as Remembered[K]), ts: entry.ts }
  }

  /** All of them or none; durable when it resolves. */
  async write(...changes: Change[]): Promise<void> {
    const ts = this.#passed.nowMs()
    const steps = this.#steps(changes)
    const coming = changes.filter(change => 'put' in change).map(({ at }) => keyOf(at))
    for (const key of coming) this.#coming.add(key)
    try {
      await this.#records.change(...steps.flatMap(step => rowsOf(step, ts)))
    } finally {
      for (const key of coming) this.#coming.delete(key)
    }
    this.#apply(steps, ts)
  }

  /** Only here, for what could not be written: at least as long as this process runs it is found. */
  hold(...changes: Change[]): void {
    this.#apply(this.#steps(changes), this.#passed.nowMs())
    for (const { at } of changes) this.#held.add(keyOf(at))
  }

  isOnlyHeld(at: Place): boolean {
    return this.#held.has(keyOf(at))
  }

  /** At once here, soon on the disk; unless something else takes its place already, which would go with it. */
  changeSoon(...changes: Change[]): void {
    const ts = this.#passed.nowMs()
    const steps = this.#steps(changes.filter(({ at }) => !this.#coming.has(keyOf(at))))
    if (steps.length === 0) return
    this.#apply(steps, ts)
    // It fails with the disk or at the stop, and is then too old before long.
    this.#records.changeSoon(...steps.flatMap(step => rowsOf(step, ts))).catch(() => undefined)
  }

  /** Everything about a hook. */
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
      const [kind, hook] = place.split('/') as [Kind, string]
      const leaving = [...shelf].filter(([, entry]) => !isHook(hook) || this.#isTooOld(kind, entry))
      if (leaving.length === 0) continue
      await this.#records.change(
        ...leaving.map(([name]): RecordChange => ({ key: keyOf({ kind, hook, name }), remove: true })),
      )
      for (const [name] of leaving) shelf.delete(name)
    }
  }

  #steps(changes: Change[]): Step[] {
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

  /** What comes pushes out the oldest: two at most, so that a full shelf is emptied little by little. */
  #crowdedOut(coming: Place): string[] {
    const { kind, name: itself } = coming
    const shelf = this.#shelf(coming)
    const isFull = shelf.size >= bounds[kind].keptMax
    const leaving: string[] = []
    for (const [name, entry] of shelf) {
      const mustGo = this.#isTooOld(kind, entry) || (isFull && leaving.length === 0)
      if (!mustGo || leaving.length === 2) break
      if (name !== itself) leaving.push(name)
    }
    return leaving
  }

  #isTooOld(kind: Kind, { ts }: Entry): boolean {
    return ts <= this.#passed.nowMs() - bounds[kind].keptMs
  }

  #shelf({ kind, hook }: Pick<Place, 'kind' | 'hook'>): Map<string, Entry> {
    const name = `${kind}/${hook}`
    const known = this.#kept.get(name)
    if (known) return known
    const made = new Map<string, Entry>()
    this.#kept.set(name, made)
    return made
  }
}

const keyOf = ({ kind, hook, name }: Place): string => `${kind}/${hook}/${name}`

function rowsOf({ change, leaving }: Step, ts: number): RecordChange[] {
  const key = keyOf(change.at)
  const gone = leaving.map((name): RecordChange => ({ key: keyOf({ ...change.at, name }), remove: true }))
  if ('put' in change) return [...gone, { key, put: JSON.stringify({ ts, value: change.put } satisfies Entry) }]
  return [...gone, { key, remove: true }]
}

function readRows(records: Records): Row[] {
  return records
    .all()
    .filter(({ key }) => kinds.includes(key.split('/', 1)[0] as Kind))
    .map(({ key, value }) => ({ key, entry: JSON.parse(value) as Entry }))
    .toSorted((a, b) => a.entry.ts - b.entry.ts)
}
