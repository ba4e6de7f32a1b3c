// Everything that must hold after faults of relays and of their database, over all mailboxes.
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
  /** Of everybody, read from its beginning. */
  mailboxes: readonly Mailbox[]
  /** Of those who followed theirs meanwhile. */
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
