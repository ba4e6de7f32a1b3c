// The words of a message.
import type { VNode } from 'preact'
import type { Message } from '../../contract/objects.ts'
import { begin } from '../../parts/attempt.ts'
import { lazyImport } from '../../parts/lazy-import.ts'
import { RichText } from '../../parts/text/rich-text.tsx'
import { sendText } from '../submit.ts'
import { useTalk } from '../talk.ts'

const links = lazyImport(() => import('../../parts/dialogs/open-link.tsx'))

const onLink = (url: string): void => begin(links().then(({ openLink }) => openLink({ url })))

export function TextBody({ message }: { message: Message }): VNode | null {
  const talk = useTalk()
  const isOfBot = talk.bots.value.has(talk.chat.peek().id) && message.from.id !== talk.me
  if (!message.text) return null
  const onCommand = isOfBot ? (command: string) => begin(sendText(talk, command)) : undefined
  return (
    <span class="bubble-text">
      <RichText
        text={message.text}
        mentions={message.mentions}
        entities={message.entities}
        onCommand={onCommand}
        onLink={onLink}
      />
    </span>
  )
}
