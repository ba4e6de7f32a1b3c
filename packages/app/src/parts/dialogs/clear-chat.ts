// Asks before a history is cleared or a chat is deleted, and says what that means for the other side.
import type { Chat } from '../../contract/objects.ts'
import { call } from '../../link/link.ts'
import { type AppRoute, go, route } from '../../router.ts'
import { clearChatWords } from './clear-chat-words.ts'
import { confirm } from './dialogs.tsx'

export type RemovableChat = Pick<Chat, 'id' | 'type' | 'state'>

export async function clearHistory({ id }: RemovableChat): Promise<void> {
  const w = clearChatWords.value
  const text = [w.clearText, w.othersKeep, w.backupKeeps].join('\n')
  if (await confirm({ title: w.clearAsk, text, yes: w.clear, tone: 'danger', icon: 'eraser' }))
    await call('clearHistory', { chat: id })
}

export async function deleteChat(chat: RemovableChat): Promise<void> {
  const w = clearChatWords.value
  const isLeaving = chat.type === 'group' && chat.state === 'active'
  const what = chat.type === 'private' ? w.deletePrivate : isLeaving ? w.deleteGroup : w.deleteLeft
  const text = [what, w.othersKeep, w.backupKeeps].join('\n')
  const yes = isLeaving ? w.leaveAndDelete : w.delete
  if (!(await confirm({ title: w.deleteAsk, text, yes, tone: 'danger', icon: 'trash' }))) return
  await call('deleteChat', { chat: chat.id })
  if (isAbout(route.value, chat.id)) go({ screen: 'chats' })
}

const isAbout = (at: AppRoute, chat: string): boolean =>
  ('chat' in at && at.chat === chat) || ('account' in at && at.account === chat)
