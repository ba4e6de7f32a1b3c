// Groups whose devices cannot be pushed to for now, because their push services hang or rest: these are looked at rarely.
import { pushLimits } from '@postern/protocol'
import type { StoppableTimers } from './stoppable-timers.ts'

/** The result of a look for one device. `crowded`: its push service hangs or rests, and a later scan finds the device. */
export type LookVerdict = 'read' | 'later' | 'connected' | 'crowded'
type Parts = { soon: StoppableTimers; onTime: (group: number) => void }

export class CrowdedGroups {
  readonly #parts: Parts
  /** Whether something has come for the group since it was looked at. */
  readonly #hasNews = new Map<number, boolean>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  lookedAt(group: number, verdicts: ReadonlySet<LookVerdict>): void {
    if (verdicts.has('crowded') && !verdicts.has('read') && !verdicts.has('later')) this.add(group)
  }

  /** A device of another service may be among its members by then. */
  add(group: number): void {
    if (this.#hasNews.size >= pushLimits.groupsHintedMax) return
    this.#hasNews.set(group, false)
    this.#parts.soon.after(pushLimits.crowdedLookMs, () => {
      const hasNews = this.#hasNews.get(group)
      this.#hasNews.delete(group)
      if (hasNews) this.#parts.onTime(group)
    })
  }

  /** Another device is away, or a push service has rested. */
  clear(): void {
    const groups = [...this.#hasNews].flatMap(([group, hasNews]) => (hasNews ? group : []))
    this.#hasNews.clear()
    for (const group of groups) this.#parts.onTime(group)
  }

  /** Whether the group is left for later. */
  waits(group: number): boolean {
    const waits = this.#hasNews.has(group)
    if (waits) this.#hasNews.set(group, true)
    return waits
  }
}
