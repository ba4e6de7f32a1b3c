// Selects the entries that a device gets a push for: only mentions in muted groups.
import { type AccountId, GROUP_ID_BYTES, type GroupId, type MessageId, toBase32 } from '@postern/protocol'
import type { DueEntry } from '../push-store.ts'

/** As databases have it. */
export type DueRow = {
  pos: number
  entry: number
  group: GroupId
  isMention: number | boolean
  sender: AccountId
  message: Uint8Array | null
  ts: number
}

export function dueGroups(rows: Iterable<DueRow>, muted: Uint8Array): Map<GroupId, DueEntry[]> {
  const groups = new Map<GroupId, DueEntry[]>()
  let silent: ReadonlySet<GroupId> | undefined
  for (const { group, message, isMention, ...row } of rows) {
    silent ??= groupsIn(muted)
    if (!isMention && silent.has(group)) continue
    const due = groups.get(group) ?? []
    due.push({ ...row, isMention: Boolean(isMention), message: message ? (toBase32(message) as MessageId) : undefined })
    groups.set(group, due)
  }
  return groups
}

function groupsIn(stored: Uint8Array): Set<GroupId> {
  const at = (index: number) => stored.subarray(index * GROUP_ID_BYTES, (index + 1) * GROUP_ID_BYTES)
  return new Set(Array.from({ length: stored.length / GROUP_ID_BYTES }, (_, index) => toBase32(at(index)) as GroupId))
}
