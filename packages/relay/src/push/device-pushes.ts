// The recent pushes to a device: several messages of a chat become one push, and nobody can make it ring all day.
import { type GroupId, MINUTE_MS, pushLimits } from '@postern/protocol'
import type { AwayDevice, DueDevice, DueEntry } from '../store/push-store.ts'

type GroupPushes = { through: number; count: number; times: number[] }
/** Entries of a group that wait: the place of the first one, and the newest one. */
type WaitingGroup = { firstPos: number; oldestTs: number; count: number; isMention: boolean; newest: DueEntry }
/** A push that may go out now. */
export type ReadyPush = { group: GroupId; count: number; isMention: boolean; newest: DueEntry }
/** `nextMs`: when the first of those that wait may go out, on the monotonic clock. `oldestTs`: of all of them. */
export type ReadyPushes = { ready: ReadyPush[]; nextMs: number | undefined; oldestTs: number | undefined }

const HOUR_MS = MINUTE_MS * 60

export class DevicePushes {
  readonly #groups = new Map<GroupId, GroupPushes>()
  readonly #waiting = new Map<GroupId, WaitingGroup>()
  #times: number[] = []
  /** The mailbox is read up to here: `#waiting` has what waits before it. */
  #readThrough = 0
  #readMs = 0
  /** When the subscription was set under which the mailbox was read: which groups are muted belongs to it. */
  #setMs: number | undefined
  /** Tries in a row that failed; the next one is due then, on the monotonic clock. */
  tries = 0
  retryAtMs = 0

  get hasWaiting(): boolean {
    return this.#waiting.size > 0
  }

  /** The position behind which the mailbox is to be read, so that no entry is read for each later one again. */
  readAfter({ read, pushed, setMs }: AwayDevice, nowMs: number): number {
    const reached = Math.max(read, pushed)
    const isOver = ({ firstPos, oldestTs }: WaitingGroup): boolean =>
      firstPos <= reached || oldestTs <= nowMs - pushLimits.ttlMs
    if (setMs !== this.#setMs || [...this.#waiting.values()].some(isOver)) this.readAgain()
    return Math.max(reached, this.#readThrough)
  }

  readAgain(): void {
    this.#waiting.clear()
    this.#readThrough = 0
  }

  /** Adds what a look has read. Groups beyond the limit stay in the mailbox: the next look begins with them. */
  add({ groups, through, setMs }: DueDevice, nowMs: number): void {
    let free = pushLimits.groupsWaitingMax - this.#waiting.size
    this.#readThrough = through
    this.#readMs = nowMs
    this.#setMs = setMs
    for (const [group, [first]] of groups)
      if (!this.#waiting.has(group) && free-- <= 0 && first)
        this.#readThrough = Math.min(this.#readThrough, first.pos - 1)
    for (const [group, entries] of groups) {
      const pushedThrough = this.#groups.get(group)?.through ?? 0
      const unsent = entries.filter(({ pos }) => pos > pushedThrough && pos <= this.#readThrough)
      if (unsent.length > 0) this.#waiting.set(group, joined(this.#waiting.get(group), unsent))
    }
  }

  /** Whether all that a look has read was added. */
  hasRead({ through }: DueDevice): boolean {
    return this.#readThrough >= through
  }

  /** Sorts what waits by when it may be pushed. */
  sort({ read }: AwayDevice, nowMs: number): ReadyPushes {
    const sorted: ReadyPushes = { ready: [], nextMs: undefined, oldestTs: undefined }
    for (const [group, { count, isMention, newest, oldestTs }] of this.#waiting) {
      const atMs = this.freeAtMs(group, nowMs)
      const sent = this.#groups.get(group)
      // Counts pushed and unread entries too: the push service may replace the earlier push by this one.
      const before = sent && sent.through > read ? sent.count : 0
      if (atMs > nowMs) sorted.nextMs = Math.min(sorted.nextMs ?? atMs, atMs)
      else sorted.ready.push({ group, count: count + before, isMention, newest })
      sorted.oldestTs = Math.min(sorted.oldestTs ?? oldestTs, oldestTs)
    }
    return sorted
  }

  /** The position before the first entry that is not pushed yet. */
  get settledThrough(): number {
    return Math.min(this.#readThrough, ...[...this.#waiting.values()].map(({ firstPos }) => firstPos - 1))
  }

  /** The push is out, or will never be. */
  settled({ group, count, newest }: ReadyPush, nowMs: number): void {
    const times = [...(this.#groups.get(group)?.times ?? []), nowMs].filter(ms => ms > nowMs - HOUR_MS)
    this.#groups.set(group, { through: newest.pos, count, times })
    this.#waiting.delete(group)
    this.#times = [...this.#times, nowMs].filter(ms => ms > nowMs - MINUTE_MS)
    this.tries = 0
    this.retryAtMs = 0
  }

  /** Whether there is nothing to be remembered of it any more. */
  isStale(nowMs: number): boolean {
    const pushedMs = [...this.#groups.values()].flatMap(({ times }) => times.at(-1) ?? 0)
    return Math.max(this.retryAtMs, this.#readMs, ...pushedMs) < nowMs - HOUR_MS
  }

  /** When a push of the group may go out; without a group, any push. */
  freeAtMs(group: GroupId | undefined, nowMs: number): number {
    if (group === undefined) return Math.max(this.retryAtMs, nowMs)
    const times = this.#groups.get(group)?.times ?? []
    const last = times.at(-1)
    return Math.max(
      this.retryAtMs,
      last === undefined ? nowMs : last + pushLimits.collapseMs,
      slotAtMs(times, { max: pushLimits.groupPerMinute, spanMs: MINUTE_MS }),
      slotAtMs(times, { max: pushLimits.groupPerHour, spanMs: HOUR_MS }),
      slotAtMs(this.#times, { max: pushLimits.devicePerMinute, spanMs: MINUTE_MS }),
    )
  }
}

function joined(waiting: WaitingGroup | undefined, unsent: readonly DueEntry[]): WaitingGroup {
  const [first, newest] = [unsent[0], unsent.at(-1)] as [DueEntry, DueEntry]
  return {
    firstPos: waiting?.firstPos ?? first.pos,
    oldestTs: Math.min(waiting?.oldestTs ?? first.ts, ...unsent.map(({ ts }) => ts)),
    count: (waiting?.count ?? 0) + unsent.length,
    isMention: waiting?.isMention === true || unsent.some(entry => entry.isMention),
    newest,
  }
}

/** When one more is within the limit. */
const slotAtMs = (times: readonly number[], { max, spanMs }: { max: number; spanMs: number }): number =>
  (times.at(-max) ?? -spanMs) + spanMs
