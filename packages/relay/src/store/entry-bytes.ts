// The size of an entry: in a page, in memory and on the wire.
import { ACCOUNT_ID_BYTES } from '@postern/protocol'
import type { MailboxEntry } from '@postern/protocol/relay'

export const entryBytes = ({ payload, added, removed }: MailboxEntry): number =>
  payload.length + ACCOUNT_ID_BYTES * (added.length + removed.length)
