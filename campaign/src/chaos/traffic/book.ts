// What was done and what its doers were told, as it happens.
import type { Change, Changed, MessageKind, Outcome, Said } from '../check/deeds.ts'
import type { Finding } from '../check/finding.ts'

type Saying = Pick<Said, 'kind' | 'room' | 'by' | 'tag'>
export type Tried<Ok = unknown> = { outcome: Outcome; ok?: Ok; error?: string }

export class Book {
  readonly said: Said[] = []
  /** Under what they are about. */
  readonly values = new Map<string, Changed>()
  /** Tags of messages that somebody deleted, or may have. */
  readonly gone = new Set<string>()
  readonly findings: Finding[] = []
  /** Refusals by their sentence: to be looked at, since some are in order. */
  readonly refusals = new Map<string, number>()
  #moment = 0
  #tags = 0

  now(): number {
    return ++this.#moment
  }

  nextTag(): string {
    return `d${++this.#tags}`
  }

  async say(saying: Saying, act: () => Promise<Tried<{ id?: string }>>): Promise<Tried<{ id?: string }>> {
    const begun = this.now()
    // In the book before it is done: others may see it before its doer hears of it.
    const entry: Said = { ...saying, begun, ended: Number.MAX_SAFE_INTEGER, outcome: 'doubtful' }
    this.said.push(entry)
    const tried = await act()
    entry.outcome = tried.outcome
    entry.ended = this.now()
    if (tried.ok?.id !== undefined) entry.id = tried.ok.id
    return tried
  }

  valueOf(kind: string, what: string, first: string): Changed {
    const value = this.values.get(what) ?? { kind, what, first, changes: [] }
    this.values.set(what, value)
    return value
  }

  async change(changed: Changed, value: string, act: () => Promise<Tried>): Promise<Tried> {
    const change: Change = { value, outcome: 'doubtful' }
    changed.changes.push(change)
    const tried = await act()
    change.outcome = tried.outcome
    return tried
  }

  find(finding: Finding): void {
    this.findings.push(finding)
  }

  noteRefusal(error: string): void {
    this.refusals.set(error, (this.refusals.get(error) ?? 0) + 1)
  }

  /** Of each kind of deed, how many were acknowledged. */
  acknowledged(): Map<string, number> {
    const counts = new Map<string, number>()
    const add = (kind: string, outcome: Outcome) => {
      if (outcome === 'acknowledged') counts.set(kind, (counts.get(kind) ?? 0) + 1)
    }
    for (const { kind, outcome } of this.said) add(kind satisfies MessageKind, outcome)
    for (const { kind, changes } of this.values.values()) for (const { outcome } of changes) add(kind, outcome)
    return counts
  }
}
