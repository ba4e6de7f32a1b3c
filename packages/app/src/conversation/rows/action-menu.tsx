// The menu of a message.
import type { VNode } from 'preact'
import type { Message } from '../../contract/objects.ts'
import { call } from '../../link/link.ts'
import { attempt, begin } from '../../parts/attempt.ts'
import { Dialog, DialogText } from '../../parts/dialogs/dialog.tsx'
import { ask } from '../../parts/dialogs/dialogs.tsx'
import { Button } from '../../parts/fields/button.tsx'
import { copyText } from '../../parts/fields/clipboard.ts'
import { lazyImport } from '../../parts/lazy-import.ts'
import type { MenuItem } from '../../parts/menus/menu.tsx'
import type { MenuPlace } from '../../parts/menus/menu-place.ts'
import { openMenu } from '../../parts/menus/menus.tsx'
import { type Talk, toggleSelected } from '../talk.ts'
import { type AllowedActions, allowedFor } from './action-rules.ts'
import { actionWords } from './action-words.ts'
import { QuickReactions } from './quick-reactions.tsx'

const forwarding = lazyImport(() => import('../forwarding/forward.tsx'))
const info = lazyImport(() => import('./message-info.tsx'))

export function openActionMenu(talk: Talk, message: Message, at: MenuPlace): void {
  const allowed = allowedFor(message, { chat: talk.chat.value, me: talk.me, nowMs: Date.now() })
  openMenu({
    label: actionWords.value.actions,
    at,
    items: itemsOf(talk, message, allowed),
    head: allowed.react && <QuickReactions talk={talk} message={message} />,
  })
}

function itemsOf(talk: Talk, message: Message, allowed: AllowedActions): MenuItem[] {
  const w = actionWords.value
  const items: (MenuItem | false)[] = [
    allowed.reply && { word: w.reply, icon: 'reply', run: () => talk.compose.reply(message) },
    allowed.forward && {
      word: w.forward,
      icon: 'forward',
      run: () => begin(forwarding().then(({ forward }) => forward([message]))),
    },
    allowed.copy && { word: w.copy, icon: 'copy', run: () => begin(copyText(message.text ?? '')) },
    allowed.edit && { word: w.edit, icon: 'pencil', run: () => talk.compose.edit(message) },
    { word: w.select, icon: 'circle-check', run: () => toggleSelected(talk, message) },
    {
      word: w.info,
      icon: 'info',
      run: () => begin(info().then(({ showMessageInfo }) => showMessageInfo(talk, message))),
    },
    { word: w.erase, icon: 'trash', danger: true, run: () => begin(eraseMessages([message], allowed)) },
  ]
  return items.filter(item => item !== false)
}

/** One after the other: after a fault the rest stays. Truthy when the person has agreed. */
export async function eraseMessages(
  messages: readonly Message[],
  allowed: Pick<AllowedActions, 'eraseForAll'>,
): Promise<boolean> {
  const forWhom = await ask<EraseFor | undefined>(answer => (
    <EraseDialog count={messages.length} allowed={allowed} answer={answer} />
  ))
  if (!forWhom) return false
  for (const { chat_id: chat, id: message } of messages)
    if (!(await attempt(call('erase', { chat, message, for: forWhom })))) break
  return true
}

type EraseFor = 'all' | 'me'
type Erasing = {
  count: number
  allowed: Pick<AllowedActions, 'eraseForAll'>
  answer: (forWhom: EraseFor | undefined) => void
}

function EraseDialog({ count, allowed, answer }: Erasing): VNode {
  const w = actionWords.value
  return (
    <Dialog title={w.eraseAsk(count)} icon="trash" tone="danger" onClose={() => answer(undefined)}>
      <DialogText>{allowed.eraseForAll ? w.eraseWhat : w.eraseMineWhat}</DialogText>
      {allowed.eraseForAll && (
        <Button kind="danger" onClick={() => answer('all')}>
          {w.forAll}
        </Button>
      )}
      <Button kind={allowed.eraseForAll ? 'plain' : 'danger'} onClick={() => answer('me')}>
        {w.forMe}
      </Button>
      <Button kind="quiet" autofocus onClick={() => answer(undefined)}>
        {w.cancel}
      </Button>
    </Dialog>
  )
}
