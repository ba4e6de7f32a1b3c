// The deeds and their outcomes, as they happen.
import type { Change, Changed, MessageKind, Outcome, Said } from '../check/deeds.ts'
import type { Finding } from '../check/finding.ts'

type Saying = Pick<Said, 'kind' | 'room' | 'by' | 'tag'>
export type Tried<Ok = unknown> = { outcome: Outcome; ok?: Ok; error?: string }

export class Book {
  readonly said: Said[] = []
  /** By their subject. */
  readonly values = new Map<string, Changed>()
  /** Tags of messages that were deleted, or may have been. */
  readonly gone = new Set<string>()
  readonly findings: Finding[] = []
  /** Refusals by their sentence: to be reviewed, since some are in order. */
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
    // In the book before it happens: others may see it before its sender gets the answer.
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

  /** The number of acknowledged deeds of each kind. */
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
