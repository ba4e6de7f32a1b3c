// An entry of a group's log, as a batch will write it.
import type { AccountId, MessageId } from '@postern/protocol'
import type { MailboxEntry } from '@postern/protocol/relay'
import type { AttentionMark } from '../../push-store.ts'
import type { LockedGroup } from './locked-groups.ts'

export type LoggedEntry = {
  group: LockedGroup
  kind: MailboxEntry['kind']
  sender: { num: number; id: AccountId }
  seq: number
  ts: number
  /** A welcome has none. */
  message: MessageId | undefined
  payload: Uint8Array
  /** Undefined: the members at that entry. */
  recipients: readonly number[] | undefined
  added: AccountId[]
  removed: AccountId[]
  attention?: AttentionMark | undefined
}
