// The words of a message.
import type { VNode } from 'preact'
import type { Message } from '../../contract/objects.ts'
import { begin } from '../../parts/attempt.ts'
import { RichText } from '../../parts/text/rich-text.tsx'
import { sendText } from '../submit.ts'
import { useTalk } from '../talk.ts'

export function TextBody({ message }: { message: Message }): VNode | null {
  const talk = useTalk()
  const isOfBot = talk.bots.value.has(talk.chat.peek().id) && message.from.id !== talk.me
  if (!message.text) return null
  const onCommand = isOfBot ? (command: string) => begin(sendText(talk, command)) : undefined
  return (
    <span class="bubble-text">
      <RichText text={message.text} mentions={message.mentions} onCommand={onCommand} />
    </span>
  )
}
