// Sends receipts: to the author alone, with the marks of the groups that both share.
import { type Deadline, isAccountId } from '@postern/protocol'
import { noteTold, untoldMarks } from '../fork-detection/compare-marks.ts'
import type { ValidateContext } from '../kinds/kind.ts'
import { receipt } from '../kinds/receipt.ts'
import { type DueReceipt, settleReceipt } from '../messages/receipts-due.ts'
import { type DirectSending, sendDirect } from './send-direct.ts'

export async function sendReceipt(
  core: DirectSending & ValidateContext,
  due: DueReceipt,
  deadline: Deadline,
): Promise<void> {
  const { chat_id: chat, author: to, delivered_ts: deliveredTs, read_ts: readTs } = due
  const marks = isAccountId(chat) ? untoldMarks(core, to) : []
  const body = receipt.body(core, chat, { deliveredTs, readTs, ...(marks.length > 0 && { marks }) })
  const outcome = await sendDirect(core, { chat, to }, { body, deadline })
  // It stays due: the author gets it when the chat has healed.
  if (outcome === 'broken') return
  // Lost with the process, it is sent again: receipts are cumulative, and a second one adds nothing.
  await core.store.write(database => {
    noteTold(database, to, marks)
    settleReceipt(database, due)
  }, 'deferred')
}
