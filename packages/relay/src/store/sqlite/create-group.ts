// Makes a group: once per id, for its creator, perhaps as what carries on another group.
import { CodedError, type GroupId } from '@postern/protocol'
import type { NewGroup } from '../relay-store.ts'
import type { LogParts } from './append-entry.ts'
import { rowBytes } from './day-bytes.ts'

export function createGroup(parts: LogParts, id: GroupId, by: NewGroup): 'created' | 'exists' {
  const creator = parts.accounts.numberOf(by.creator)
  const group = parts.groups.find(id)
  if (group && group.creator !== creator) throw new CodedError('group-exists')
  if (group) return 'exists'
  const continued = by.continues && continuedBy(parts, creator, { id: by.continues, nowMs: by.nowMs })
  parts.groups.checkRoom(creator)
  parts.dayBytes.charge(creator, rowBytes.group, by.nowMs)
  const num = parts.groups.create(id, creator)
  if (continued) parts.continuations.begin(num, { creator, continued })
  return 'created'
}

/** To who never was in it, a group that exists looks like one that does not. */
function continuedBy(parts: LogParts, creator: number, old: { id: GroupId; nowMs: number }): number {
  const group = parts.groups.find(old.id)
  if (!group || !parts.continuations.hasMember(group.num, creator, old.nowMs)) throw new CodedError('group-unknown')
  return group.num
}
