// Appends a message to a group's log: once per id, at the group's epoch only.
import type { AccountId } from '@postern/protocol'
import type { RelayVerdict } from '@postern/protocol/relay'
import type { Append } from '../../relay-store.ts'
import { appendCost, isFreeFarewell } from '../../rules/costs.ts'
import { dayOf } from '../../rules/day-limits.ts'
import { answerStale, nextTs } from '../../rules/group-state.ts'
import { type AppendVerdict, isAlone, judgeAppend } from '../../rules/judge-append.ts'
import type { NumberedAccount } from '../accounts/account-numbers.ts'
import type { LockedGroup } from '../groups/locked-groups.ts'
import { leaveGroup } from '../groups/member-rows.ts'
import type { Batch, BatchParts } from './batch.ts'
import { admit, chargeDay } from './judge-sender.ts'

type Route = Extract<AppendVerdict, { kind: 'to-members' | 'to-one' }>
type Appending = { append: Append; group: LockedGroup; sender: NumberedAccount; route: Route }

export async function appendToLog(batch: Batch, parts: BatchParts, append: Append): Promise<RelayVerdict> {
  const admitted = admit(batch, append)
  if (admitted.kind === 'known') return admitted.verdict
  const { group, sender } = admitted
  const { delivery } = append
  const to = delivery.kind === 'direct' ? recipientOf(batch, delivery.to) : undefined
  const verdict = judgeAppend(group, {
    sender: sender.num,
    epoch: append.epoch,
    to,
    isGone: await goneOf(batch, append, group),
  })
  if (verdict.kind === 'stale') return answerStale(group)
  if (verdict.kind === 'refused') throw verdict.error
  const appending = { append, group, sender, route: verdict }
  await charge(batch, parts, appending)
  return await write(batch, parts, appending)
}

function recipientOf({ accounts }: Batch, id: AccountId) {
  const found = accounts.get(id)
  return { num: found?.isDeleted ? undefined : found?.num, id }
}

/** The deleted accounts among those that left. A farewell has no receiver, so it is accepted even if nobody is left. */
async function goneOf({ tx }: Batch, { delivery }: Append, group: LockedGroup): Promise<(num: number) => boolean> {
  if (delivery.kind === 'leave' || !isAlone(group)) return () => false
  const rows = await tx.rows<{ num: number }>(
    'SELECT num FROM account WHERE num = ANY ($1::integer[]) AND deleted_ms IS NOT NULL',
    [[...group.left]],
  )
  const gone = new Set(rows.map(({ num }) => num))
  return num => gone.has(num)
}

/** Throws if the sender has stored too much today, or too much of its data waits for the one receiver. */
async function charge(batch: Batch, parts: BatchParts, { append, group, sender, route }: Appending): Promise<void> {
  const { payload, delivery, nowMs } = append
  if (isFreeFarewell(delivery, payload.length)) return
  const sent = { bytes: payload.length, nowMs }
  if (route.kind === 'to-one') await parts.fill.check(batch.tx, { sender: sender.num, to: route }, sent)
  else if (group.members.size === 2) await parts.fill.checkChat(batch.tx, { group, sender: sender.num }, sent)
  const length = payload.length + (append.attention?.preview?.length ?? 0)
  const bytes = appendCost(length, route.kind === 'to-one' ? 1 : group.members.size - 1)
  chargeDay(batch, parts, { account: sender, bytes, nowMs })
}

async function write(
  batch: Batch,
  parts: BatchParts,
  { append, group, sender, route }: Appending,
): Promise<RelayVerdict> {
  const { message, payload, delivery, nowMs } = append
  const ts = nextTs(group, nowMs)
  group.seq += 1
  group.lastTs = ts
  const { seq } = group
  const recipients = route.kind === 'to-one' ? [route.num] : undefined
  const { attention } = append
  const unnamed = { added: [], removed: [] }
  const kept = { group, kind: delivery.kind, sender, seq, ts, message, payload, recipients, attention }
  batch.rows.log({ ...kept, ...unnamed })
  batch.known.set(message, { message, sender: sender.num, seq, ts })
  noteHeard(batch, group, { sender: sender.num, recipients, nowMs })
  if (delivery.kind === 'leave') {
    await leaveGroup(batch.tx, group, { account: sender.num, nowMs })
    parts.rosters.forget(group.id)
  }
  return { accepted: { message, seq, ts, duplicate: false }, epoch: group.epoch }
}

/** From now on the receivers know the sender. */
function noteHeard(
  { rows }: Batch,
  { members, roster }: LockedGroup,
  { sender, recipients, nowMs }: { sender: number; recipients: readonly number[] | undefined; nowMs: number },
): void {
  const day = dayOf(nowMs)
  // Contacts expire by the day: a contact noted yesterday may have to be noted again.
  if (roster.heardDay !== day) roster.heardByAll.clear()
  roster.heardDay = day
  if (roster.heardByAll.has(sender)) return
  for (const account of recipients ?? members.keys()) if (account !== sender) rows.note({ account, peer: sender })
  if (!recipients) roster.heardByAll.add(sender)
}
