// Blocking a person: nothing of theirs is heard, nothing is said to them, and they cannot tell it from silence.
import { type AccountId, CodedError, privateChatId } from '@postern/protocol'
import { findChat } from '../chats/records/chats.ts'
import { invitationsFrom, setChatBlocked } from '../chats/records/declined-chats.ts'
import type { Core } from '../context.ts'
import { noteBlocked } from '../identity/trust.ts'
import { forgetReceipts } from '../messages/receipts-due.ts'
import type { Database } from '../storage/database.ts'
import { decline } from './decline-request.ts'

type Blocking = Pick<Core, 'store' | 'own' | 'wakeChores' | 'rescheduleTimers'>

/** What was said before stays. What waits for the owner's word because of that person is declined. */
export async function blockPerson(core: Blocking, account: AccountId): Promise<void> {
  if (account === core.own.id)
    throw new CodedError('bad-field', { field: 'account', rule: 'must be another account than your own' })
  await core.store.write(database => {
    noteBlocked(database, account, 1)
    setChatBlocked(database, privateChatId(account), 1)
    forgetReceipts(database, privateChatId(account))
    declineAllFrom(database, account)
  })
  core.store.eraseTraces()
  core.wakeChores()
}

function declineAllFrom(database: Database, account: AccountId): void {
  const own = findChat(database, privateChatId(account))
  if (own?.state === 'request') decline(database, own)
  for (const group of invitationsFrom(database, account)) decline(database, group)
}

/** The keys have gone on meanwhile, so the next word is heard; what was said while the person was blocked is not. */
export async function unblockPerson(core: Blocking, account: AccountId): Promise<void> {
  await core.store.write(database => {
    noteBlocked(database, account, 0)
    setChatBlocked(database, privateChatId(account), 0)
  })
  core.wakeChores()
  core.rescheduleTimers()
}
