// The groups of a batch: locked, so that nothing else changes them until it ends.
// Their members are cached between batches.

import type { AccountId, GroupId } from '@postern/protocol'
import { WeightedCache } from '@postern/protocol'

/** The members of a group, and facts that hold until the members change. */
type LockedRoster = {
  readonly version: number
  readonly members: Map<number, AccountId>
  /** Members that ended their delivery and are not removed by a commit yet. */
  readonly left: Set<number>
  /** Senders that every member is known to have received, so that their next message notes no contact. */
  readonly heardByAll: Set<number>
  /** The day from 1970 to which the set above belongs. */
  heardDay: number
  /** The group's counters after this relay's last write: other relays may have written since. */
  last: Counters | undefined
}
type Counters = { num: number; creator: number; epoch: number; seq: number; lastTs: number }

export type LockedGroup = {
  readonly roster: LockedRoster
  readonly members: Map<number, AccountId>
  readonly left: Set<number>
  readonly num: number
  readonly id: GroupId
  readonly creator: number
  epoch: number
  seq: number
  lastTs: number
}

export type GroupNow = Pick<Counters, 'num' | 'epoch' | 'seq' | 'lastTs'> & { roster: number }

/** As the database returns it: members only if the roster differs from the requested one. */
export type StoredGroupState = Pick<LockedGroup, 'num' | 'id' | 'creator' | 'epoch' | 'seq' | 'lastTs'> & {
  roster: number
  members: { num: number; id: AccountId; isIn: boolean }[] | null
}

export class Rosters {
  readonly #held: WeightedCache<GroupId, LockedRoster>

  constructor(membersMax: number) {
    this.#held = new WeightedCache(membersMax)
  }

  /** The cached version: the database decides whether it is still valid. */
  rosterOf(group: GroupId): number | null {
    return this.#held.get(group)?.version ?? null
  }

  lock(state: StoredGroupState): LockedGroup {
    const held = this.#held.get(state.id)
    const roster = held?.version === state.roster ? held : rosterIn(state)
    this.#held.set(state.id, roster, 1 + roster.members.size)
    const { num, id, creator, epoch, seq, lastTs } = state
    const { members, left } = roster
    return { num, id, creator, epoch, seq, lastTs, roster, members, left }
  }

  /** The group after this relay's last write. */
  recall(id: GroupId): LockedGroup | undefined {
    const roster = this.#held.get(id)
    if (!roster?.last) return undefined
    const { members, left } = roster
    return { ...roster.last, id, roster, members, left }
  }

  /** Stores the committed state. */
  remember({ id, roster, num, creator, epoch, seq, lastTs }: LockedGroup): void {
    // A group whose members have changed is no longer cached.
    if (this.#held.get(id) === roster) roster.last = { num, creator, epoch, seq, lastTs }
  }

  /** Other relays have written to some of the groups since. A roster is kept while it is still valid. */
  catchUp(groups: Iterable<LockedGroup>, now: readonly GroupNow[]): void {
    const byNumber = new Map(now.map(group => [group.num, group]))
    for (const { id, num, creator, roster } of groups) {
      const { roster: version, ...counters } = byNumber.get(num) ?? { roster: undefined }
      if (version !== roster.version || !('seq' in counters)) this.forget(id)
      else {
        roster.last = { creator, ...counters }
        // Noted in a batch that was not written.
        roster.heardByAll.clear()
      }
    }
  }

  /** The members have changed, or the cached state may come from a transaction that was rolled back. */
  forget(group: GroupId): void {
    this.#held.delete(group)
  }
}

function rosterIn({ roster, members }: StoredGroupState): LockedRoster {
  const all = members ?? []
  return {
    version: roster,
    members: new Map(all.filter(({ isIn }) => isIn).map(({ num, id }) => [num, id])),
    left: new Set(all.filter(({ isIn }) => !isIn).map(({ num }) => num)),
    heardByAll: new Set(),
    heardDay: 0,
    last: undefined,
  }
}
