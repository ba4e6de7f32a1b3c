// All invariants after faults of relays and of their database, over all mailboxes.
import type { AccountId } from '@postern/protocol'
import type { Finding } from '../../chaos/check/finding.ts'
import { checkDeeds } from './check-deeds.ts'
import { checkHeard } from './check-heard.ts'
import { checkMailboxes, type Founded } from './check-mailboxes.ts'
import type { Deed, Kept, Mailbox } from './deed.ts'
import { gatherLogs } from './gather-log.ts'

export type Evidence = {
  deeds: readonly Deed[]
  creators: Founded
  /** The mailboxes of everybody, read from their beginning. */
  mailboxes: readonly Mailbox[]
  /** The deliveries to people who followed their mailbox meanwhile. */
  heard: ReadonlyMap<AccountId, readonly Kept[]>
}

export function checkRelays({ deeds, creators, mailboxes, heard }: Evidence): Finding[] {
  const { logs, findings } = gatherLogs(mailboxes)
  return [
    ...findings,
    ...checkDeeds(deeds, logs),
    ...checkMailboxes(mailboxes, logs, { creators, deeds }),
    ...checkHeard(heard, mailboxes),
  ]
}
