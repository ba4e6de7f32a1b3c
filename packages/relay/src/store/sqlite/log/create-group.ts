// Creates a group: once per id, for its creator, optionally as the continuation of another group.
import { CodedError, type GroupId } from '@postern/protocol'
import type { NewStoredGroup } from '../../relay-store.ts'
import { continuationRefusal } from '../../rules/continuations.ts'
import { rowBytes } from '../../rules/costs.ts'
import type { LogParts } from './log-parts.ts'

export function createGroup(parts: LogParts, id: GroupId, by: NewStoredGroup): 'created' | 'exists' {
  const creator = parts.accounts.numberOf(by.creator)
  const group = parts.groups.find(id)
  if (group && group.creator !== creator) throw new CodedError('group-exists')
  if (group) return 'exists'
  const continued = by.continues && continuedGroup(parts, creator, { id: by.continues, nowMs: by.nowMs })
  parts.groups.checkRoom(creator)
  parts.dayBytes.charge(creator, rowBytes.group, by.nowMs)
  const num = parts.groups.create(id, creator)
  if (continued) parts.continuations.begin(num, { creator, continued })
  return 'created'
}

function continuedGroup(parts: LogParts, creator: number, old: { id: GroupId; nowMs: number }): number | undefined {
  const group = parts.groups.find(old.id)
  const wasIn = group && ((account: number) => parts.continuations.hasMember(group.num, account, old.nowMs))
  const refusal = continuationRefusal(creator, wasIn)
  if (refusal) throw refusal
  return group?.num
}
