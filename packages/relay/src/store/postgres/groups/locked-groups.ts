// Groups as a batch holds them: locked, so that nobody else changes them until it ends. Who is in them is remembered in between.
import type { AccountId, GroupId } from '@postern/protocol'
import { WeightedCache } from '../../weighted-cache.ts'

/** Who is in a group, and what is known of them as long as nobody comes or goes. */
type LockedRoster = {
  readonly version: number
  readonly members: Map<number, AccountId>
  /** They ended their delivery; a commit has still to remove them. */
  readonly left: Set<number>
  /** Senders whom every member is known to have heard, so that their next message notes nothing. */
  readonly heardByAll: Set<number>
  /** From 1970, of the set above. */
  heardDay: number
  /** How the group stood when it was written to last: others may have written to it since. */
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

/** How a group stands by now. */
export type GroupNow = Pick<Counters, 'num' | 'epoch' | 'seq' | 'lastTs'> & { roster: number }

/** As the database gives it: members only when the roster is another one than was asked for. */
export type StoredGroupState = Pick<LockedGroup, 'num' | 'id' | 'creator' | 'epoch' | 'seq' | 'lastTs'> & {
  roster: number
  members: { num: number; id: AccountId; isIn: boolean }[] | null
}

export class Rosters {
  readonly #held: WeightedCache<GroupId, LockedRoster>

  constructor(membersMax: number) {
    this.#held = new WeightedCache(membersMax)
  }

  /** What is remembered of it: the database says whether that still holds. */
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

  /** As it stood when this relay wrote to it last. */
  recall(id: GroupId): LockedGroup | undefined {
    const roster = this.#held.get(id)
    if (!roster?.last) return undefined
    const { members, left } = roster
    return { ...roster.last, id, roster, members, left }
  }

  /** It was committed so. */
  remember({ id, roster, num, creator, epoch, seq, lastTs }: LockedGroup): void {
    // One whose members have changed is not held any more.
    if (this.#held.get(id) === roster) roster.last = { num, creator, epoch, seq, lastTs }
  }

  /** Others have written to some of them since. What is judged by who is in them is kept while it holds. */
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

  /** Its members have changed, or what is remembered may be of a transaction that was undone. */
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
