// Blocks a person: nothing from them is accepted and nothing is sent to them, and they cannot tell this from silence.
import { type AccountId, CodedError, privateChatId } from '@postern/protocol'
import { findChat } from '../chats/records/chats.ts'
import { invitationsFrom, setChatBlocked } from '../chats/records/declined-chats.ts'
import { forgetWaiting } from '../chats/records/join-requests.ts'
import type { Core } from '../context.ts'
import { noteBlocked } from '../identity/trust.ts'
import { forgetReceipts } from '../messages/receipts-due.ts'
import type { Database } from '../storage/database.ts'
import { decline } from './decline-request.ts'

type Blocking = Pick<Core, 'store' | 'own' | 'wakeChores' | 'rescheduleTimers'>

/** Earlier messages stay. Chats that wait for the owner's decision because of that person are declined. */
export async function blockPerson(core: Blocking, account: AccountId): Promise<void> {
  if (account === core.own.id)
    throw new CodedError('bad-field', { field: 'account', rule: 'must be another account than your own' })
  await core.store.write(database => {
    noteBlocked(database, account, 1)
    setChatBlocked(database, privateChatId(account), 1)
    forgetReceipts(database, privateChatId(account))
    declineAllFrom(database, account)
    forgetWaiting(database, account)
  })
  core.store.eraseTraces()
  core.wakeChores()
}

function declineAllFrom(database: Database, account: AccountId): void {
  const own = findChat(database, privateChatId(account))
  if (own?.state === 'request') decline(database, own)
  for (const group of invitationsFrom(database, account)) decline(database, group)
}

/**
 * The keys have moved on meanwhile, so the next message can be read.
 * Messages sent while the person was blocked are lost.
 */
export async function unblockPerson(core: Blocking, account: AccountId): Promise<void> {
  await core.store.write(database => {
    noteBlocked(database, account, 0)
    setChatBlocked(database, privateChatId(account), 0)
  })
  core.wakeChores()
  core.rescheduleTimers()
}
