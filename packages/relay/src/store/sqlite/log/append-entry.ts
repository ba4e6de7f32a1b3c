// Appends a message to a group's log: once per id, at the group's epoch only.
import { type AccountId, CodedError, type MessageId, relayFixedLimits } from '@postern/protocol'
import type { RelayVerdict } from '@postern/protocol/relay'
import type { Append } from '../../relay-store.ts'
import { appendCost, isFreeFarewell } from '../../rules/costs.ts'
import { dayOf } from '../../rules/day-limits.ts'
import { answerKnown, answerStale, nextTs } from '../../rules/group-state.ts'
import { judgeAppend } from '../../rules/judge-append.ts'
import type { HeldGroup } from '../groups/group-rows.ts'
import type { LogParts } from './log-parts.ts'

type Route = { kind: 'to-members' } | { kind: 'to-one'; num: number; id: AccountId }
type Appending = { append: Append; sender: number; route: Route }

/** Only messages that cannot be appended are looked up in the log: a new message costs no lookup. */
export function appendEntry(parts: LogParts, append: Append): RelayVerdict {
  const group = parts.groups.find(append.group)
  const sender = parts.accounts.find(append.sender)
  if (!group || sender === undefined) throw new CodedError('group-unknown')
  const asked = { message: append.message, by: sender }
  const verdict = judgeAppend(group, {
    sender,
    epoch: append.epoch,
    to: recipientOf(parts, append),
    isGone: isGone(parts, append),
  })
  if (verdict.kind === 'stale') return knownVerdict(parts, group, asked) ?? answerStale(group)
  if (verdict.kind === 'refused') return knownOr(parts, group, { ...asked, error: verdict.error })

  const appending = { append, sender, route: verdict }
  const charged = tryCharge(parts, group, appending)
  if (charged.kind === 'refused') return knownOr(parts, group, { ...asked, error: charged.error })
  const accepted = write(parts, group, appending)
  if (accepted) return accepted
  parts.dayBytes.refund(sender, charged.bytes)
  return knownOr(parts, group, { ...asked, error: new TypeError('a message that is in the log is not found there') })
}

function recipientOf({ accounts }: LogParts, { delivery }: Append) {
  return delivery.kind === 'direct' ? { num: accounts.find(delivery.to), id: delivery.to } : undefined
}

/** A farewell has no receiver, so it is accepted even if nobody is left. */
const isGone = ({ accounts }: LogParts, { delivery }: Append): ((num: number) => boolean) =>
  delivery.kind === 'leave' ? () => false : num => accounts.isDeleted(num)

/** Returns undefined, and changes nothing, if the message is already in the log. */
function write(parts: LogParts, group: HeldGroup, { append, sender, route }: Appending): RelayVerdict | undefined {
  const { message, payload, delivery, nowMs } = append
  const ts = nextTs(group, nowMs)
  group.seq += 1
  const from = { num: sender, id: append.sender }
  const pos = parts.entries.insert(group, { kind: delivery.kind, sender: from, ts, message, payload })
  if (pos === undefined) {
    group.seq -= 1
    return undefined
  }
  group.lastTs = ts
  parts.groups.touch(group)
  deliver(parts, group, { pos, sender, route, nowMs })
  if (append.attention) parts.attention.add(group.num, { ...append.attention, pos, ts })
  if (delivery.kind === 'leave') {
    parts.groups.leave(group, sender, nowMs)
    parts.groups.membersChanged(group)
  }
  return { accepted: { message, seq: group.seq, ts, duplicate: false }, epoch: group.epoch }
}

type Charged = { kind: 'charged'; bytes: number } | { kind: 'refused'; error: unknown }

/**
 * Returns the refusal instead of throwing:
 * a message that is already in the log is confirmed, whatever its sender has stored since.
 */
function tryCharge(parts: LogParts, group: HeldGroup, appending: Appending): Charged {
  try {
    return { kind: 'charged', bytes: charge(parts, group, appending) }
  } catch (error) {
    return { kind: 'refused', error }
  }
}

/** Throws if the sender has stored too much today, or too much of its data waits for the one receiver. */
function charge(parts: LogParts, group: HeldGroup, { append, sender, route }: Appending): number {
  const { payload, delivery, nowMs } = append
  if (isFreeFarewell(delivery, payload.length)) return 0
  const sent = { bytes: payload.length, nowMs }
  if (route.kind === 'to-one') parts.fill.check(sender, route, sent)
  else if (group.members.size === 2) parts.fill.checkChat(group, sender, sent)
  const bytes = payload.length + (append.attention?.preview?.length ?? 0)
  const cost = appendCost(bytes, route.kind === 'to-one' ? 1 : group.members.size - 1)
  parts.dayBytes.charge(sender, cost, nowMs)
  return cost
}

type Sent = { pos: number; sender: number; route: Route; nowMs: number }

function deliver(parts: LogParts, group: HeldGroup, { pos, sender, route, nowMs }: Sent): void {
  forgetHeard(group, nowMs)
  if (route.kind === 'to-members') {
    parts.mailboxes.deliverToMembers(group, pos, { except: sender })
    if (group.heardByAll.has(sender)) return
    parts.contacts.noteMembers(sender, group.num, nowMs)
    group.heardByAll.add(sender)
    return
  }
  parts.mailboxes.deliverTo(route, pos)
  const pair = `${sender}>${route.num}`
  if (group.heardByAll.has(sender) || group.heardByOne.has(pair)) return
  parts.contacts.note(route.num, sender, nowMs)
  if (group.heardByOne.size >= relayFixedLimits.heardByOneMax) group.heardByOne.clear()
  group.heardByOne.add(pair)
}

/** Contacts expire by the day: a contact noted yesterday may have to be noted again. */
function forgetHeard(group: HeldGroup, nowMs: number): void {
  const day = dayOf(nowMs)
  if (group.heardDay === day) return
  group.heardDay = day
  group.heardByAll.clear()
  group.heardByOne.clear()
}

type Asked = { message: MessageId; by: number }

/** The answer from the log; undefined if the message is not there, or not visible to the caller. */
export function knownVerdict(parts: LogParts, group: HeldGroup, { message, by }: Asked): RelayVerdict | undefined {
  const known = parts.entries.known(message)
  return known && answerKnown(group, known, by)
}

function knownOr(parts: LogParts, group: HeldGroup, { error, ...asked }: Asked & { error: unknown }): RelayVerdict {
  const known = knownVerdict(parts, group, asked)
  if (known) return known
  throw error
}
