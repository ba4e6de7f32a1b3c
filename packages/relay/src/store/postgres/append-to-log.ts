// A message for a group's log: once per id, at the group's epoch only, to whom it is for.
import type { Verdict } from '@postern/protocol/relay'
import type { Append } from '../relay-store.ts'
import { appendCost, isFreeFarewell } from '../rules/costs.ts'
import { answerStale, nextTs } from '../rules/group-state.ts'
import { type AppendVerdict, judgeAppend } from '../rules/judge-append.ts'
import type { NumberedAccount } from './account-numbers.ts'
import type { Batch, BatchParts } from './batch.ts'
import { admit, chargeDay } from './judge-sender.ts'
import type { LockedGroup } from './locked-groups.ts'
import { leaveGroup } from './member-rows.ts'

type Route = Extract<AppendVerdict, { kind: 'to-members' | 'to-one' }>
type Appending = { append: Append; group: LockedGroup; sender: NumberedAccount; route: Route }

export async function appendToLog(batch: Batch, parts: BatchParts, append: Append): Promise<Verdict> {
  const admitted = admit(batch, append)
  if (admitted.kind === 'known') return admitted.verdict
  const { group, sender } = admitted
  const { delivery } = append
  const to = delivery.kind === 'direct' ? { num: batch.accounts.get(delivery.to)?.num, id: delivery.to } : undefined
  const verdict = judgeAppend(group, { sender: sender.num, epoch: append.epoch, to })
  if (verdict.kind === 'stale') return answerStale(group)
  if (verdict.kind === 'refused') throw verdict.error
  const appending = { append, group, sender, route: verdict }
  await charge(batch, parts, appending)
  return await write(batch, parts, appending)
}

/** Throws when the sender has stored too much today, or too much of it waits for the one who gets this. */
async function charge(batch: Batch, parts: BatchParts, { append, group, sender, route }: Appending): Promise<void> {
  const { payload, delivery, nowMs } = append
  if (isFreeFarewell(delivery, payload.length)) return
  const sent = { bytes: payload.length, nowMs }
  if (route.kind === 'to-one') await parts.fill.check(batch.tx, { sender: sender.num, to: route }, sent)
  else if (group.members.size === 2) await parts.fill.checkChat(batch.tx, { group, sender: sender.num }, sent)
  const bytes = appendCost(payload.length, route.kind === 'to-one' ? 1 : group.members.size - 1)
  chargeDay(batch, parts.limits, { account: sender, bytes, nowMs })
}

async function write(batch: Batch, parts: BatchParts, { append, group, sender, route }: Appending): Promise<Verdict> {
  const { message, payload, delivery, nowMs } = append
  const ts = nextTs(group, nowMs)
  group.seq += 1
  group.lastTs = ts
  const { seq } = group
  const recipients = route.kind === 'to-one' ? [route.num] : undefined
  batch.rows.log({ group, kind: delivery.kind, sender, seq, ts, message, payload, recipients, added: [], removed: [] })
  batch.known.set(message, { message, sender: sender.num, seq, ts })
  noteHeard(batch, group, { sender: sender.num, recipients })
  if (delivery.kind === 'leave') {
    await leaveGroup(batch.tx, group, { account: sender.num, nowMs })
    parts.rosters.forget(group.id)
  }
  return { accepted: { message, seq, ts, duplicate: false }, epoch: group.epoch }
}

/** From now on who gets it knows the sender. */
function noteHeard(
  { rows }: Batch,
  { members, roster }: LockedGroup,
  { sender, recipients }: { sender: number; recipients: readonly number[] | undefined },
): void {
  if (roster.heardByAll.has(sender)) return
  for (const account of recipients ?? members.keys()) if (account !== sender) rows.note({ account, peer: sender })
  if (!recipients) roster.heardByAll.add(sender)
}
