// Asks another member, in private, whether it was shown the same history of a group.
import { type AccountId, type Deadline, privateChatId } from '@postern/protocol'
import { ensureQuietChat } from '../chats/opening/open-chat.ts'
import { findChat } from '../chats/records/chats.ts'
import type { Core } from '../context.ts'
import { type EpochMark, findMark } from '../groups/epoch-marks.ts'
import { type MarkQuery, noteAsked } from '../groups/mark-queries.ts'
import { isBlocked } from '../identity/trust.ts'
import { compare } from '../kinds/compare.ts'
import { newDraft } from './compose.ts'
import { sendContent } from './send-content.ts'

export async function askForMark(core: Core, question: MarkQuery, deadline: Deadline): Promise<void> {
  const { group, epoch, account } = question
  const mark = findMark(core.store, group, epoch)
  const chat = findChat(core.store, privateChatId(account))
  // Nothing can be written into a request: the question would be retried forever.
  const isRequest = chat?.state === 'request' && chat.visible === 1
  const isSilent = isRequest || isBlocked(core.store, account)
  if (mark && !isSilent) await sendMark(core, { account, mark: { group, epoch, mark } }, deadline)
  await core.store.write(database => noteAsked(database, question))
}

export async function sendMark(
  core: Core,
  { account, mark }: { account: AccountId; mark: EpochMark },
  deadline: Deadline,
): Promise<void> {
  await ensureQuietChat(core, account, deadline)
  const draft = newDraft(core, compare.body(core, privateChatId(account), mark))
  await sendContent(core, privateChatId(account), { draft, deadline })
}
