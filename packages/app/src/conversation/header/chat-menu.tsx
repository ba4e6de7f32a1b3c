// The menu at the end of a chat's header.
import type { ChatDetail } from '../../contract/objects.ts'
import { call } from '../../link/link.ts'
import { attempt, begin } from '../../parts/attempt.ts'
import { removalItems } from '../../parts/dialogs/chat-removal.ts'
import { confirm } from '../../parts/dialogs/dialogs.tsx'
import { lazyImport } from '../../parts/lazy-import.ts'
import type { MenuItem } from '../../parts/menus/menu.tsx'
import { go } from '../../router.ts'
import { conversationWords } from '../words.ts'
import { headerWords } from './words.ts'

const timers = lazyImport(() => import('../../group/choose-timer.tsx'))

export function chatMenu(chat: ChatDetail): MenuItem[] {
  const w = headerWords.value
  const isActive = chat.state === 'active'
  const isGroup = chat.type === 'group'
  const items: (MenuItem | false)[] = [
    {
      word: w.info,
      icon: 'info',
      run: () => go({ screen: 'chat-info', chat: chat.id }),
    },
    {
      word: chat.muted ? w.unmute : w.mute,
      icon: chat.muted ? 'bell' : 'bell-off',
      run: () => begin(call('markChat', { chat: chat.id, muted: !chat.muted })),
    },
    isActive && {
      word: w.timer,
      icon: 'timer',
      run: () => begin(timers().then(({ chooseTimer }) => chooseTimer(chat.id, chat.timer_ms))),
    },
    isActive &&
      isGroup && {
        word: w.addMembers,
        icon: 'user-plus',
        run: () => go({ screen: 'add-members', chat: chat.id }),
      },
    !isGroup && {
      word: w.verify,
      icon: 'shield-check',
      run: () => go({ screen: 'verify', account: chat.id }),
    },
    !isGroup && { word: w.block, icon: 'ban', danger: true, run: () => begin(blockPerson(chat)) },
    isActive && isGroup && { word: w.leave, icon: 'log-out', danger: true, run: () => begin(leaveGroup(chat)) },
    ...(chat.state === 'request' ? [] : removalItems(chat)),
  ]
  return items.filter(item => item !== false)
}

export async function blockPerson(chat: Pick<ChatDetail, 'id' | 'name'>): Promise<void> {
  const w = conversationWords.value
  const yes = await confirm({
    title: w.blockAsk(chat.name),
    text: w.blockWhat,
    yes: w.block,
    tone: 'danger',
    icon: 'ban',
  })
  if (yes) await attempt(call('block', { account: chat.id }))
}

async function leaveGroup(chat: ChatDetail): Promise<void> {
  const w = headerWords.value
  const yes = await confirm({
    title: w.leaveAsk(chat.name),
    text: w.leaveWhat,
    yes: w.leave,
    tone: 'danger',
    icon: 'log-out',
  })
  if (yes) await attempt(call('leaveGroup', { chat: chat.id }))
}
