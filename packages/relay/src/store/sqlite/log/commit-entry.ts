// Appends a commit: the first one of an epoch wins, and membership changes exactly there.
import { CodedError } from '@postern/protocol'
import type { RelayVerdict } from '@postern/protocol/relay'
import type { RelayLimits } from '../../../limits/relay-limits.ts'
import type { CommitEnvelope } from '../../relay-store.ts'
import { notTakenAlong, type WasIn } from '../../rules/continuations.ts'
import { commitCost } from '../../rules/costs.ts'
import { answerStale, nextTs } from '../../rules/group-state.ts'
import { judgeCommit, type MemberChange } from '../../rules/judge-commit.ts'
import { soleReader } from '../../rules/mailbox-room.ts'
import type { HeldGroup } from '../groups/group-rows.ts'
import { knownVerdict } from './append-entry.ts'
import type { LogParts } from './log-parts.ts'

/** `strangers`: the added people whom the sender does not know yet. */
type Made = { commit: CommitEnvelope; sender: number; change: MemberChange; strangers: number[] }

export function commitEntry(parts: LogParts, commit: CommitEnvelope, limits: RelayLimits): RelayVerdict {
  const group = parts.groups.find(commit.group)
  const sender = parts.accounts.find(commit.sender)
  if (!group || sender === undefined) throw new CodedError('group-unknown')
  const known = knownVerdict(parts, group, { message: commit.message, by: sender })
  if (known) return known
  const { epoch, add, remove } = commit
  const verdict = judgeCommit(
    group,
    { sender, epoch, add, remove, hasWelcome: commit.welcome !== undefined },
    {
      membersMax: limits.groupMembersMax,
      find: account => parts.accounts.find(account),
      findDeleted: account => parts.accounts.findDeleted(account),
    },
  )
  if (verdict.kind === 'stale') return answerStale(group)
  if (verdict.kind === 'refused') throw verdict.error
  const { change } = verdict
  const made = { commit, sender, change, strangers: strangersIn(parts, group, { commit, sender, change }) }
  charge(parts, group, made)
  return apply(parts, group, made)
}

/** Throws if there are too many for today. */
function strangersIn(
  parts: LogParts,
  group: HeldGroup,
  { commit: { nowMs }, sender, change }: Omit<Made, 'strangers'>,
): number[] {
  const people = change.added.map(({ num }) => num)
  const counted = notTakenAlong(group, { sender, people }, () => continuedBy(parts, group, nowMs))
  return parts.contacts.strangers(sender, counted, nowMs)
}

function continuedBy({ continuations }: LogParts, group: HeldGroup, nowMs: number): WasIn | undefined {
  const continued = continuations.continuedBy(group.num, group.creator)
  return continued === undefined ? undefined : account => continuations.hasMember(continued, account, nowMs)
}

/** Throws if the sender has stored too much today, or too much of its data waits for the only receiver. */
function charge(parts: LogParts, group: HeldGroup, { commit, sender, change }: Made): void {
  const { payload, welcome, nowMs } = commit
  const { added, removed } = change
  const bytes = payload.length + (welcome?.length ?? 0)
  const to = soleReader(group.members, { sender, added })
  if (to) parts.fill.check(sender, to, { bytes, nowMs })
  const cost = commitCost({ bytes, readers: group.members.size + added.length, named: added.length + removed.length })
  parts.dayBytes.charge(sender, cost, nowMs)
}

function apply(parts: LogParts, group: HeldGroup, { commit, sender, change, strangers }: Made): RelayVerdict {
  const { added, removed, putsOut } = change
  const ts = nextTs(group, commit.nowMs)
  group.seq += 1
  group.epoch += 1
  group.lastTs = ts
  const { message, payload } = commit
  const from = { num: sender, id: commit.sender }
  const named = { added: [...commit.add], removed: [...commit.remove] }
  const pos = parts.entries.insert(group, { kind: 'commit', sender: from, ts, message, payload, ...named })
  if (pos === undefined) throw new TypeError('a commit that is not in the log could not be added to it')
  parts.mailboxes.deliverToMembers(group, pos, { except: undefined })
  // A group that continues another one is a chat that its people have already.
  const isNewChat = commit.isForAttention && parts.continuations.continuedBy(group.num, group.creator) === undefined
  if (added.length > 0) parts.continuations.use(group.num)
  // Otherwise a creator could add and remove people one by one, and contact each of them alone.
  if (putsOut) parts.continuations.end(group.num)
  for (const num of removed) parts.groups.remove(group, num, commit.nowMs)
  for (const account of added) parts.groups.add(group, account)
  if (commit.welcome) {
    const { welcome } = commit
    const at = parts.entries.insert(group, { kind: 'welcome', sender: from, ts, message: undefined, payload: welcome })
    if (at !== undefined) for (const account of added) parts.mailboxes.deliverTo(account, at)
    if (at !== undefined && isNewChat)
      parts.attention.add(group.num, { pos: at, ts, kind: 'message', preview: undefined })
  }
  parts.contacts.meet(sender, strangers, commit.nowMs)
  for (const account of added) parts.contacts.note(account.num, sender, commit.nowMs)
  parts.groups.membersChanged(group)
  return { accepted: { message, seq: group.seq, ts, duplicate: false }, epoch: group.epoch }
}
