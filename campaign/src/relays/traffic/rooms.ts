// The groups that people talk in: pairs, groups of 20, of 200 and of 1,000. Pairs stay unchanged; in the others people
// come and go.
import type { AccountId, GroupId } from '@postern/protocol'
import { newGroupId } from '@postern/testkit/bare-client'

export type Room = { group: GroupId; size: number; founder: AccountId; first: readonly AccountId[] }

type WorldPlan = { people: number; crowd: number; senders: number; rooms: RoomPlan }
type RoomPlan = { pairs: number; twenties: number; twoHundreds: number; thousands: number }

/** How many people there are, how many of them connect in a storm, how many of these send, and in which rooms. */
export const worldSizes = {
  /** For a fault that is planted: it has to be found among few. */
  small: { people: 40, crowd: 40, senders: 12, rooms: { pairs: 6, twenties: 2, twoHundreds: 0, thousands: 0 } },
  short: { people: 240, crowd: 240, senders: 24, rooms: { pairs: 12, twenties: 4, twoHundreds: 2, thousands: 0 } },
  /** For a database that is slow for long: its largest groups have to be filled, too. */
  long: { people: 1_240, crowd: 240, senders: 24, rooms: { pairs: 12, twenties: 4, twoHundreds: 2, thousands: 1 } },
} as const satisfies Record<string, WorldPlan>

export type WorldSize = keyof typeof worldSizes

/** `active`: the senders, of whom some are everywhere; the others only receive. */
export function planRooms(
  { pairs, twenties, twoHundreds, thousands }: RoomPlan,
  { active, idle }: { active: readonly AccountId[]; idle: readonly AccountId[] },
): Room[] {
  const around = (from: number, count: number, all: readonly AccountId[]): AccountId[] =>
    Array.from({ length: count }, (_, at) => all[(from + at) % all.length] as AccountId)
  const roomOf = (members: readonly AccountId[]): Room => {
    const [founder, ...first] = members as [AccountId, ...AccountId[]]
    return { group: newGroupId(), size: members.length, founder, first }
  }
  const withAll = (count: number, size: number): Room[] =>
    Array.from({ length: count }, (_, at) =>
      roomOf([...around(at, active.length, active), ...around(at * 10, size - active.length, idle)]),
    )
  return [
    ...Array.from({ length: pairs }, (_, at) => roomOf(around(at * 2, 2, active))),
    ...Array.from({ length: twenties }, (_, at) =>
      roomOf([...around(at * 5, 10, active), ...around(at * 10, 10, idle)]),
    ),
    ...withAll(twoHundreds, 200),
    ...withAll(thousands, 1_000),
  ]
}
