// Follows the membership along the log: each mailbox has exactly the entries that its owner must have, once and in order.
import type { AccountId, GroupId, MessageId } from '@postern/protocol'
import type { Finding } from '../../chaos/check/finding.ts'
import { type Deed, type Kept, type Mailbox, nameOf, placeOf } from './deed.ts'
import type { Logs } from './gather-log.ts'

/** The member of each group before its first commit. */
export type Founded = ReadonlyMap<GroupId, AccountId>
type Due = Map<AccountId, Kept[]>

export function checkMailboxes(
  mailboxes: readonly Mailbox[],
  logs: Logs,
  { creators, deeds }: { creators: Founded; deeds: readonly Deed[] },
): Finding[] {
  const directTo = new Map(deeds.map(({ message, to }) => [message, to]))
  const due: Due = new Map()
  for (const [group, log] of logs) followMembers(log, { creator: creators.get(group), directTo, due })
  return mailboxes.flatMap(mailbox => [...checkCursors(mailbox), ...compare(mailbox, due.get(mailbox.account) ?? [])])
}

type Followed = {
  creator: AccountId | undefined
  directTo: ReadonlyMap<MessageId, AccountId | undefined>
  due: Due
}

function followMembers(log: readonly Kept[], { creator, directTo, due }: Followed): void {
  const members = new Set(creator === undefined ? [] : [creator])
  let welcomed: readonly AccountId[] = []
  for (const entry of log) {
    const to = readersOf(entry, { members, welcomed, direct: directTo.get(entry.message) })
    for (const account of to) noteDue(due, account, entry)
    if (entry.kind === 'leave') members.delete(entry.sender)
    if (entry.kind !== 'commit') continue
    for (const account of entry.removed) members.delete(account)
    for (const account of entry.added) members.add(account)
    welcomed = entry.added
  }
}

function noteDue(due: Due, account: AccountId, entry: Kept): void {
  const owed = due.get(account)
  if (owed) owed.push(entry)
  else due.set(account, [entry])
}

type Present = { members: ReadonlySet<AccountId>; welcomed: readonly AccountId[]; direct: AccountId | undefined }

function readersOf({ kind, sender }: Kept, { members, welcomed, direct }: Present): readonly AccountId[] {
  switch (kind) {
    case 'commit':
      return [...members]
    case 'welcome':
      return welcomed
    case 'direct':
      return direct === undefined ? [] : [direct]
    case 'message':
    case 'leave':
      return [...members].filter(account => account !== sender)
    default:
      return kind satisfies never
  }
}

function checkCursors({ account, entries }: Mailbox): Finding[] {
  return entries.flatMap((entry, at): Finding[] => {
    const before = entries[at - 1]
    if (!before || before.cursor < entry.cursor) return []
    return [{ wrong: 'reordered', deed: entry.kind, what: `${account}: the cursor of ${nameOf(entry)} does not rise` }]
  })
}

function compare({ account, entries }: Mailbox, due: readonly Kept[]): Finding[] {
  const owed = new Map(due.map(entry => [nameOf(entry), entry]))
  const had = Map.groupBy(entries, nameOf)
  const finding = (wrong: Finding['wrong'], entry: Kept): Finding => ({
    wrong,
    deed: entry.kind,
    what: `${account}: ${nameOf(entry)}`,
  })
  return [
    ...[...owed].filter(([name]) => !had.has(name)).map(([, entry]) => finding('lost', entry)),
    ...[...had]
      .filter(([name]) => !owed.has(name))
      .flatMap(([, found]) => found.map(entry => finding('invented', entry))),
    ...[...had.values()].flatMap(found => found.slice(1).map(entry => finding('doubled', entry))),
    ...outOfOrder(entries).map(entry => finding('reordered', entry)),
  ]
}

/** The entries of each group that come after a later one in the log. */
function outOfOrder(entries: readonly Kept[]): Kept[] {
  const reached = new Map<GroupId, number>()
  return entries.filter(entry => {
    const before = reached.get(entry.group) ?? 0
    reached.set(entry.group, Math.max(before, placeOf(entry)))
    return placeOf(entry) < before
  })
}
