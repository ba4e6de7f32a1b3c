// Appends a commit to a group's log: the first one of an epoch wins, and membership changes exactly there.
import type { RelayVerdict } from '@postern/protocol/relay'
import type { CommitEnvelope } from '../../relay-store.ts'
import { notTakenAlong, type WasIn } from '../../rules/continuations.ts'
import { commitCost } from '../../rules/costs.ts'
import { answerStale, nextTs } from '../../rules/group-state.ts'
import { judgeCommit, type MemberChange } from '../../rules/judge-commit.ts'
import { soleReader } from '../../rules/mailbox-room.ts'
import type { NumberedAccount } from '../accounts/account-numbers.ts'
import { countMet, strangersAmong } from '../accounts/contact-rows.ts'
import { continuedBy, endContinuation, useContinuation, wasInGroup } from '../groups/continuation-rows.ts'
import type { LockedGroup } from '../groups/locked-groups.ts'
import { changeMembers } from '../groups/member-rows.ts'
import type { Batch, BatchParts } from './batch.ts'
import { admit, chargeDay } from './judge-sender.ts'

/** `strangers`: the added people whom the sender does not know yet. */
type Made = {
  commit: CommitEnvelope
  group: LockedGroup
  sender: NumberedAccount
  change: MemberChange
  strangers: number[]
}

export async function commitToLog(batch: Batch, parts: BatchParts, commit: CommitEnvelope): Promise<RelayVerdict> {
  const admitted = admit(batch, commit)
  if (admitted.kind === 'known') return admitted.verdict
  const { group, sender } = admitted
  const { epoch, add, remove } = commit
  const verdict = judgeCommit(
    group,
    { sender: sender.num, epoch, add, remove, hasWelcome: commit.welcome !== undefined },
    {
      membersMax: parts.limits.groupMembersMax,
      find: account => {
        const found = batch.accounts.get(account)
        return found?.isDeleted ? undefined : found?.num
      },
      findDeleted: account => batch.accounts.get(account)?.num,
    },
  )
  if (verdict.kind === 'stale') return answerStale(group)
  if (verdict.kind === 'refused') throw verdict.error
  const made = { commit, group, sender, change: verdict.change }
  const strangers = await strangersIn(batch, parts, made)
  await charge(batch, parts, made)
  return await apply(batch, parts, { ...made, strangers })
}

/** Throws if there are too many for today. */
async function strangersIn(batch: Batch, parts: BatchParts, made: Omit<Made, 'strangers'>): Promise<number[]> {
  const { commit, group, sender, change } = made
  const people = change.added.map(({ num }) => num)
  if (people.length === 0) return []
  // Messages earlier in the same batch make their sender known.
  await batch.rows.flush(batch.tx)
  const continued = sender.num === group.creator ? await continuedGroup(batch, parts, made) : undefined
  const counted = notTakenAlong(group, { sender: sender.num, people }, () => continued)
  const asked = { account: sender.num, people: counted, nowMs: commit.nowMs }
  return await strangersAmong(batch.tx, parts.limits, asked)
}

async function continuedGroup(
  { tx }: Batch,
  { limits }: BatchParts,
  { commit, group, sender, change }: Omit<Made, 'strangers'>,
): Promise<WasIn | undefined> {
  const continued = await continuedBy(tx, group)
  if (continued === undefined) return undefined
  const accounts = [sender.num, ...change.added.map(({ num }) => num)]
  return await wasInGroup(tx, { group: continued, accounts, sinceMs: commit.nowMs - limits.keepPastMembersMs })
}

/** Throws if the sender has stored too much today, or too much of its data waits for the only receiver. */
async function charge(batch: Batch, parts: BatchParts, made: Omit<Made, 'strangers'>): Promise<void> {
  const { commit, group, sender, change } = made
  const { payload, welcome, nowMs } = commit
  const { added, removed } = change
  const bytes = payload.length + (welcome?.length ?? 0)
  const to = soleReader(group.members, { sender: sender.num, added })
  if (to) await parts.fill.check(batch.tx, { sender: sender.num, to }, { bytes, nowMs })
  const cost = commitCost({ bytes, readers: group.members.size + added.length, named: added.length + removed.length })
  chargeDay(batch, parts, { account: sender, bytes: cost, nowMs })
}

async function apply(batch: Batch, parts: BatchParts, made: Made): Promise<RelayVerdict> {
  const { commit, group, sender, change, strangers } = made
  const { message, payload, welcome, nowMs } = commit
  const { added, removed, putsOut } = change
  const ts = nextTs(group, nowMs)
  group.seq += 1
  group.epoch += 1
  group.lastTs = ts
  const entry = { group, sender, seq: group.seq, ts, added: [...commit.add], removed: [...commit.remove] }
  batch.rows.log({ ...entry, kind: 'commit', message, payload, recipients: undefined })
  batch.known.set(message, { message, sender: sender.num, seq: group.seq, ts })
  if (welcome) {
    const recipients = added.map(({ num }) => num)
    // A group that continues another one is a chat that its people have already.
    const isNewChat = commit.isForAttention && (await continuedBy(batch.tx, group)) === undefined
    const attention = isNewChat ? ({ kind: 'message', preview: undefined } as const) : undefined
    const kept = { ...entry, added: [], removed: [], attention }
    batch.rows.log({ ...kept, kind: 'welcome', message: undefined, payload: welcome, recipients })
  }
  if (added.length > 0) await useContinuation(batch.tx, group.num)
  // Otherwise a creator could add and remove people one by one, and contact each of them alone.
  if (putsOut) await endContinuation(batch.tx, group.num)
  if (added.length + removed.length > 0) {
    await changeMembers(batch.tx, group, { added, removed, nowMs })
    parts.rosters.forget(group.id)
  }
  await countMet(batch.tx, { account: sender.num, count: strangers.length, nowMs })
  for (const stranger of strangers) batch.rows.note({ account: sender.num, peer: stranger })
  for (const { num } of added) batch.rows.note({ account: num, peer: sender.num })
  return { accepted: { message, seq: group.seq, ts, duplicate: false }, epoch: group.epoch }
}
