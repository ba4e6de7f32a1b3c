// Appends a commit: the first one of an epoch wins, and membership changes exactly at it.
import { type AccountId, CodedError } from '@postern/protocol'
import type { Verdict } from '@postern/protocol/relay'
import type { RelayLimits } from '../../limits/relay-limits.ts'
import type { Commit } from '../relay-store.ts'
import { knownVerdict, type LogParts } from './append-entry.ts'
import { rowBytes } from './day-bytes.ts'
import type { HeldGroup } from './group-rows.ts'
import { soleOther } from './mailbox-fill.ts'

type Added = { num: number; id: AccountId }
type Change = { sender: number; added: Added[]; removed: number[]; strangers: number[] }

export function commitEntry(parts: LogParts, commit: Commit, limits: RelayLimits): Verdict {
  const group = parts.groups.find(commit.group)
  const sender = parts.accounts.find(commit.sender)
  if (!group || sender === undefined) throw new CodedError('group-unknown')
  const known = knownVerdict(parts, group, { message: commit.message, by: sender })
  if (known) return known
  if (!group.members.has(sender)) throw new CodedError('group-unknown')
  // Before its members are looked at: who lost the race may well name people whom the winner has added.
  if (commit.epoch !== group.epoch) return { accepted: undefined, epoch: group.epoch }
  const checked = checkedChange(parts, group, { commit, sender, limits })
  chargeFor(parts, group, { commit, checked })
  return apply(parts, group, { commit, checked })
}

function checkedChange(
  parts: LogParts,
  group: HeldGroup,
  asked: { commit: Commit; sender: number; limits: RelayLimits },
): Change {
  const { commit, sender, limits } = asked
  if ((commit.welcome !== undefined) !== commit.add.length > 0)
    throw new CodedError('bad-field', { field: 'welcome', rule: 'it is given exactly when someone is added' })
  const removed = commit.remove.map(account => {
    const num = parts.accounts.find(account)
    if (num === undefined || !(group.members.has(num) || group.left.has(num)))
      throw new CodedError('not-a-member', { account })
    if (num === sender) throw new CodedError('bad-field', { field: 'remove', rule: 'nobody removes themselves' })
    return num
  })
  const goes = new Set(removed)
  const added = commit.add.map(id => {
    const num = parts.accounts.numberOf(id)
    // Removed and added at once is how a member is healed.
    if (group.members.has(num) && !goes.has(num))
      throw new CodedError('bad-field', { field: 'add', rule: `${id} is a member already` })
    return { num, id }
  })
  unique(commit.add, 'add')
  unique(commit.remove, 'remove')
  const removedMembers = removed.filter(num => group.members.has(num)).length
  if (group.members.size - removedMembers + added.length > limits.groupMembersMax)
    throw new CodedError('group-full', { max: limits.groupMembersMax })
  const counted = uncontinued(parts, group, { added, sender, nowMs: commit.nowMs })
  return { sender, added, removed, strangers: parts.contacts.strangers(sender, counted, commit.nowMs) }
}

/** Those who may be new people: not who comes along from the group that this one carries on. */
function uncontinued(
  { continuations }: LogParts,
  group: HeldGroup,
  { added, sender, nowMs }: { added: Added[]; sender: number; nowMs: number },
): number[] {
  const people = added.map(account => account.num)
  if (sender !== group.creator) return people
  const continued = continuations.continuedBy(group.num, sender)
  // Who was put out of the old group too long ago has no say about its people.
  if (continued === undefined || !continuations.hasMember(continued, sender, nowMs)) return people
  return people.filter(person => !continuations.hasMember(continued, person, nowMs))
}

function unique(accounts: readonly AccountId[], field: string): void {
  if (new Set(accounts).size !== accounts.length)
    throw new CodedError('bad-field', { field, rule: 'it names an account twice' })
}

/** Throws when the sender has stored too much today, or too much of it waits for the only one who gets this. */
function chargeFor(parts: LogParts, group: HeldGroup, made: { commit: Commit; checked: Change }): void {
  const { payload, welcome, nowMs } = made.commit
  const { sender, added, removed } = made.checked
  const bytes = payload.length + (welcome?.length ?? 0)
  const first = group.members.size === 1 && added.length === 1 ? added[0] : undefined
  const to = soleOther(group, sender) ?? first
  if (to) parts.fill.check(sender, to, { bytes, nowMs })
  const readers = group.members.size + added.length
  const named = added.length + removed.length
  const rows = 2 * rowBytes.entry + rowBytes.reference * readers + rowBytes.named * named
  parts.dayBytes.charge(sender, bytes + rows, nowMs)
}

/** Not who has left before, and not who is healed. */
function isAnyonePutOut(group: HeldGroup, { added, removed }: Pick<Change, 'added' | 'removed'>): boolean {
  const back = new Set(added.map(account => account.num))
  return removed.some(num => group.members.has(num) && !back.has(num))
}

function apply(parts: LogParts, group: HeldGroup, { commit, checked }: { commit: Commit; checked: Change }): Verdict {
  const { sender, added, removed, strangers } = checked
  const ts = Math.max(commit.nowMs, group.lastTs + 1)
  group.seq += 1
  group.epoch += 1
  group.lastTs = ts
  const { message, payload } = commit
  const from = { num: sender, id: commit.sender }
  const change = { added: [...commit.add], removed: [...commit.remove] }
  const pos = parts.entries.insert(group, { kind: 'commit', sender: from, ts, message, payload, ...change })
  if (pos === undefined) throw new TypeError('a commit that is not in the log could not be added to it')
  parts.entries.deliverToMembers(group, pos, { except: undefined })
  if (added.length > 0) parts.continuations.use(group.num)
  // Else one could take people in and out, and speak with each of them alone.
  if (isAnyonePutOut(group, { added, removed })) parts.continuations.end(group.num)
  for (const num of removed) parts.groups.remove(group, num, commit.nowMs)
  for (const account of added) parts.groups.add(group, account)
  if (commit.welcome) {
    const { welcome } = commit
    const at = parts.entries.insert(group, { kind: 'welcome', sender: from, ts, message: undefined, payload: welcome })
    if (at !== undefined) for (const account of added) parts.entries.deliverTo(account, at)
  }
  parts.contacts.meet(sender, strangers, commit.nowMs)
  for (const account of added) parts.contacts.note(account.num, sender)
  parts.groups.membersChanged(group)
  return { accepted: { message, seq: group.seq, ts, duplicate: false }, epoch: group.epoch }
}
