// Turns receipts of reading on and off, for both directions.
import { forgetReads } from '../chats/records/member-receipts.ts'
import type { Core } from '../context.ts'
import { hasReadReceipts, noteReadReceipts } from '../storage/state/read-receipts.ts'
import { forgetReadsDue } from './receipts-due.ts'

/** Off: receipts of reading that are due are not sent any more, and those of others are forgotten. */
export async function setReadReceipts({ store }: Pick<Core, 'store'>, choice: 'on' | 'off'): Promise<void> {
  if (hasReadReceipts(store) === (choice === 'on')) return
  await store.write(database => {
    noteReadReceipts(database, choice)
    if (choice === 'on') return
    forgetReads(database)
    forgetReadsDue(database)
  })
}
