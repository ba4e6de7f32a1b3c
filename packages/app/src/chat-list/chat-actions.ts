// The actions on a chat in the list.
import type { ChatLine } from '../contract/objects.ts'
import { isolated } from '../conversation/isolate.ts'
import { call } from '../link/link.ts'
import { begin } from '../parts/attempt.ts'
import { removalItems } from '../parts/dialogs/chat-removal.ts'
import { confirm } from '../parts/dialogs/dialogs.tsx'
import type { MenuItem } from '../parts/menus/menu.tsx'
import { chatListWords } from './words.ts'

async function leave({ id, name }: ChatLine): Promise<void> {
  const w = chatListWords.value
  const title = w.leaveTitle(isolated(name))
  if (await confirm({ title, text: w.leaveText, yes: w.leave, tone: 'danger', icon: 'log-out' }))
    await call('leaveGroup', { chat: id })
}

export function chatActions(line: ChatLine): MenuItem[] {
  const w = chatListWords.value
  const chat = line.id
  if (line.state === 'request')
    return [
      { word: w.accept, icon: 'check', run: () => begin(call('accept', { chat })) },
      { word: w.decline, icon: 'x', danger: true, run: () => begin(call('decline', { chat })) },
    ]
  const mark = (marks: { muted?: boolean; pinned?: boolean; archived?: boolean }) => () =>
    begin(call('markChat', { chat, ...marks }))
  const actions: MenuItem[] = [
    line.pinned
      ? { word: w.unpin, icon: 'pin-off', run: mark({ pinned: false }) }
      : { word: w.pin, icon: 'pin', run: mark({ pinned: true }) },
    line.muted
      ? { word: w.unmute, icon: 'bell', run: mark({ muted: false }) }
      : { word: w.mute, icon: 'bell-off', run: mark({ muted: true }) },
    line.archived
      ? { word: w.unarchive, icon: 'archive-restore', run: mark({ archived: false }) }
      : { word: w.archive, icon: 'archive', run: mark({ archived: true }) },
  ]
  if (line.unread > 0)
    actions.unshift({ word: w.markRead, icon: 'check-check', run: () => begin(call('read', { chat })) })
  if (line.type === 'group' && line.state === 'active')
    actions.push({ word: w.leave, icon: 'log-out', danger: true, run: () => begin(leave(line)) })
  return [...actions, ...removalItems(line)]
}
