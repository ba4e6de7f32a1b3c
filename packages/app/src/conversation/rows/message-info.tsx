// When a message was sent and changed, and when it disappears.
import type { VNode } from 'preact'
import type { Message } from '../../contract/objects.ts'
import { wholeTimeOf } from '../../i18n/dates.ts'
import { Dialog } from '../../parts/dialogs/dialog.tsx'
import { ask } from '../../parts/dialogs/dialogs.tsx'
import { Button } from '../../parts/fields/button.tsx'
import type { Talk } from '../talk.ts'
import { conversationWords } from '../words.ts'
import { actionWords } from './action-words.ts'
import './message-info.css'

export async function showMessageInfo(talk: Talk, message: Message): Promise<void> {
  await ask<void>(answer => (
    <MessageInfo message={message} isOwn={message.from.id === talk.me} onClose={() => answer()} />
  ))
}

type MessageInfoProps = { message: Message; isOwn: boolean; onClose: () => void }

function MessageInfo({ message, isOwn, onClose }: MessageInfoProps): VNode {
  const w = actionWords.value
  const facts: [string, string][] = [[w.sentAt, wholeTimeOf(message.ts)]]
  if (message.edited_ts !== undefined) facts.push([w.editedAt, wholeTimeOf(message.edited_ts)])
  if (message.expires_ts !== undefined) facts.push([w.goneAt, wholeTimeOf(message.expires_ts)])
  if (message.status) facts.push([w.status, conversationWords.value[message.status]])
  return (
    <Dialog title={isOwn ? w.fromYou : w.from(message.from.name)} onClose={onClose}>
      <dl class="message-info">
        {facts.map(([term, fact]) => (
          <div key={term}>
            <dt class="message-info-term">{term}</dt>
            <dd class="message-info-fact">{fact}</dd>
          </div>
        ))}
      </dl>
      <Button kind="plain" autofocus onClick={onClose}>
        {w.close}
      </Button>
    </Dialog>
  )
}
