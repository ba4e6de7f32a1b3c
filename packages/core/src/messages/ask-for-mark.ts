// Asking another member, in private, whether it was shown the same history of a group.
import { type AccountId, type Deadline, privateChatId } from '@postern/protocol'
import { findChat } from '../chats/chats.ts'
import { ensureQuietChat } from '../chats/open-chat.ts'
import type { Core } from '../context.ts'
import { type EpochMark, findMark } from '../groups/epoch-marks.ts'
import type { Question } from './compare-marks.ts'
import { newDraft } from './compose.ts'
import { sendDraft } from './send.ts'

export async function askForMark(core: Core, question: Question, deadline: Deadline): Promise<void> {
  const { group, epoch, account } = question
  const mark = findMark(core.store, group, epoch)
  const chat = findChat(core.store, privateChatId(account))
  // Into a request nothing is written: asked for ever, it would be tried for ever.
  const isRequest = chat?.state === 'request' && chat.visible === 1
  if (mark && !isRequest) await sayMark(core, { account, mark: { group, epoch, mark } }, deadline)
  await core.store.write(database =>
    database.run(
      'UPDATE mark_question SET asked = 1 WHERE group_id = ? AND epoch = ? AND account_id = ?',
      group,
      epoch,
      account,
    ),
  )
}

export async function sayMark(
  core: Core,
  { account, mark }: { account: AccountId; mark: EpochMark },
  deadline: Deadline,
): Promise<void> {
  await ensureQuietChat(core, account, deadline)
  const draft = newDraft(core, { kind: 'compare', ...mark })
  await sendDraft(core, privateChatId(account), { draft, deadline })
}
