// Appends a message to a group's log: once per id, at the group's epoch only.
import { type AccountId, CodedError } from '@postern/protocol'
import type { Verdict } from '@postern/protocol/relay'
import type { Append } from '../relay-store.ts'
import type { AccountRows } from './account-rows.ts'
import type { ContactRows } from './contact-rows.ts'
import type { ContinuationRows } from './continuation-rows.ts'
import { type DayBytes, rowBytes } from './day-bytes.ts'
import type { EntryRows } from './entry-rows.ts'
import type { GroupRows, HeldGroup } from './group-rows.ts'
import type { MailboxFill } from './mailbox-fill.ts'

export type LogParts = {
  accounts: AccountRows
  contacts: ContactRows
  continuations: ContinuationRows
  groups: GroupRows
  entries: EntryRows
  dayBytes: DayBytes
  fill: MailboxFill
}

const HEARD_BY_ONE_MAX = 1_000

export function appendEntry(parts: LogParts, append: Append): Verdict {
  const group = parts.groups.find(append.group)
  const sender = parts.accounts.find(append.sender)
  if (!group || sender === undefined) throw new CodedError('group-unknown')
  const route = routeOf(parts, group, { append, sender })
  if (route.kind === 'blocked') return knownVerdict(parts, group, { ...append, by: sender }) ?? blocked(group, route)

  const charged = tryCharge(parts, group, { append, sender, route })
  if (charged.kind === 'refused') {
    const known = knownVerdict(parts, group, { ...append, by: sender })
    if (known) return known
    throw charged.error
  }
  const ts = Math.max(append.nowMs, group.lastTs + 1)
  group.seq += 1
  const { message, payload } = append
  const from = { num: sender, id: append.sender }
  const pos = parts.entries.insert(group, { kind: append.delivery.kind, sender: from, ts, message, payload })
  if (pos === undefined) {
    group.seq -= 1
    parts.dayBytes.refund(sender, charged.bytes)
    return knownVerdict(parts, group, { message, by: sender }) ?? unreachable()
  }
  group.lastTs = ts
  parts.groups.touch(group)
  deliver(parts, group, { pos, sender, route })
  if (append.delivery.kind === 'leave') {
    parts.groups.leave(group, sender, append.nowMs)
    parts.groups.membersChanged(group)
  }
  return { accepted: { message, seq: group.seq, ts, duplicate: false }, epoch: group.epoch }
}

/** Who leaves is not held back by what it has sent before; a farewell is short. */
const FAREWELL_BYTES_MAX = 4096

type Sending = { append: Append; sender: number; route: Open }
type Charged = { kind: 'charged'; bytes: number } | { kind: 'refused'; error: unknown }

/** Not thrown at once: what is in the log already is told so, whatever its sender has stored since. */
function tryCharge(parts: LogParts, group: HeldGroup, sending: Sending): Charged {
  try {
    return { kind: 'charged', bytes: charge(parts, group, sending) }
  } catch (error) {
    return { kind: 'refused', error }
  }
}

/** Throws when the sender has stored too much today, or too much of it waits for the one who gets this. */
function charge(parts: LogParts, group: HeldGroup, { append, sender, route }: Sending): number {
  const { payload, delivery, nowMs } = append
  if (delivery.kind === 'leave' && payload.length <= FAREWELL_BYTES_MAX) return 0
  const sent = { bytes: payload.length, nowMs }
  if (route.kind === 'to-one') parts.fill.check(sender, route, sent)
  else if (group.members.size === 2) parts.fill.checkChat(group, sender, sent)
  const readers = route.kind === 'to-one' ? 1 : group.members.size - 1
  const cost = payload.length + rowBytes.entry + rowBytes.reference * readers
  parts.dayBytes.charge(sender, cost, nowMs)
  return cost
}

function unreachable(): never {
  throw new TypeError('a message that is in the log could not be found there')
}

type Open = { kind: 'to-members' } | { kind: 'to-one'; num: number; id: AccountId }
type Blocked = { kind: 'blocked'; why: 'epoch' | CodedError }

function routeOf(
  parts: LogParts,
  group: HeldGroup,
  { append, sender }: { append: Append; sender: number },
): Open | Blocked {
  if (!group.members.has(sender)) return { kind: 'blocked', why: new CodedError('group-unknown') }
  if (append.epoch !== group.epoch) return { kind: 'blocked', why: 'epoch' }
  if (append.delivery.kind !== 'direct') return { kind: 'to-members' }
  const { to } = append.delivery
  const num = parts.accounts.find(to)
  if (num === undefined || !group.members.has(num))
    return { kind: 'blocked', why: new CodedError('not-a-member', { account: to }) }
  return { kind: 'to-one', num, id: to }
}

function blocked(group: HeldGroup, { why }: Blocked): Verdict {
  if (why === 'epoch') return { accepted: undefined, epoch: group.epoch }
  throw why
}

function deliver(parts: LogParts, group: HeldGroup, sent: { pos: number; sender: number; route: Open }): void {
  const { pos, sender, route } = sent
  if (route.kind === 'to-members') {
    parts.entries.deliverToMembers(group, pos, { except: sender })
    if (group.heardByAll.has(sender)) return
    parts.contacts.noteMembers(sender, group.num)
    group.heardByAll.add(sender)
    return
  }
  parts.entries.deliverTo(route, pos)
  const pair = `${sender}>${route.num}`
  if (group.heardByAll.has(sender) || group.heardByOne.has(pair)) return
  parts.contacts.note(route.num, sender)
  if (group.heardByOne.size >= HEARD_BY_ONE_MAX) group.heardByOne.clear()
  group.heardByOne.add(pair)
}

/** What the log says about a message: for its sender, who may have left since, and for members. */
export function knownVerdict(
  parts: LogParts,
  group: HeldGroup,
  asked: { message: Append['message']; by: number },
): Verdict | undefined {
  const known = parts.entries.known(asked.message)
  if (!known) return undefined
  if (known.sender !== asked.by && !group.members.has(asked.by)) return undefined
  const { message, seq, ts, duplicate } = known
  return { accepted: { message, seq, ts, duplicate }, epoch: group.epoch }
}
