// The groups that people talk in: pairs, groups of 20 and of 200. Pairs stay unchanged; in the others people come and go.
import type { AccountId, GroupId } from '@postern/protocol'
import { newGroupId } from '@postern/testkit/bare-client'

export type Room = { group: GroupId; size: number; founder: AccountId; first: readonly AccountId[] }

export type RoomPlan = { pairs: number; twenties: number; twoHundreds: number }

/** `active`: the senders, of whom some are everywhere; the others only receive. */
export function planRooms(
  { pairs, twenties, twoHundreds }: RoomPlan,
  { active, idle }: { active: readonly AccountId[]; idle: readonly AccountId[] },
): Room[] {
  const around = (from: number, count: number, all: readonly AccountId[]): AccountId[] =>
    Array.from({ length: count }, (_, at) => all[(from + at) % all.length] as AccountId)
  const roomOf = (members: readonly AccountId[]): Room => {
    const [founder, ...first] = members as [AccountId, ...AccountId[]]
    return { group: newGroupId(), size: members.length, founder, first }
  }
  return [
    ...Array.from({ length: pairs }, (_, at) => roomOf(around(at * 2, 2, active))),
    ...Array.from({ length: twenties }, (_, at) =>
      roomOf([...around(at * 5, 10, active), ...around(at * 10, 10, idle)]),
    ),
    ...Array.from({ length: twoHundreds }, (_, at) =>
      roomOf([...around(at, active.length, active), ...around(at * 10, 200 - active.length, idle)]),
    ),
  ]
}
