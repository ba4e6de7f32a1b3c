// The second line of a row: who is typing, the draft, or the last message.
import type { VNode } from 'preact'
import type { ChatLine } from '../contract/objects.ts'
import { noticeLine } from '../conversation/rows/notice-words.ts'
import { StatusSign } from '../conversation/rows/status-sign.tsx'
import { snippetOf } from '../conversation/snippet.ts'
import { useTypingText } from '../conversation/use-typing-text.ts'
import { Icon } from '../parts/icons/icon.tsx'
import { chatListWords } from './words.ts'

const DRAFT_UNITS_MAX = 240

export function LastLine({ line, me }: { line: ChatLine; me: string }): VNode {
  const w = chatListWords.value
  const typing = useTypingText(line).value
  if (typing !== undefined)
    return (
      <bdi class="chat-row-said chat-row-typing" dir="auto">
        {typing}
      </bdi>
    )
  if (line.refused)
    return (
      <>
        <span class="chat-row-refused">
          <Icon name="circle-alert" size={15} /> {w.refused}
        </span>
        <Said line={line} me={me} />
      </>
    )
  if (line.draft)
    return (
      <>
        <span class="chat-row-draft">{w.draft}</span>
        <bdi class="chat-row-said" dir="auto">
          {line.draft.slice(0, DRAFT_UNITS_MAX).toWellFormed()}
        </bdi>
      </>
    )
  // Not next to the newest message: that one may be another person's, and has arrived.
  if (line.waiting > 0)
    return (
      <>
        <StatusSign status="waiting" />
        <span class="chat-row-said">{w.waiting}</span>
      </>
    )
  return (
    <>
      <OwnStatus line={line} me={me} />
      <Said line={line} me={me} />
    </>
  )
}

function OwnStatus({ line, me }: { line: ChatLine; me: string }): VNode | null {
  const message = line.last?.kind === 'message' ? line.last.message : undefined
  return message?.from.id === me && message.status ? <StatusSign status={message.status} /> : null
}

function Said({ line, me }: { line: ChatLine; me: string }): VNode {
  const w = chatListWords.value
  if (!line.last) return <span class="chat-row-said">{line.state === 'active' ? w.noMessages : ''}</span>
  if (line.last.kind === 'notice') {
    const bots = new Set(line.members.filter(({ bot }) => bot).map(({ id }) => id))
    return (
      <bdi class="chat-row-said" dir="auto">
        {noticeLine(line.last.notice, bots, me).text}
      </bdi>
    )
  }
  const { message } = line.last
  const isOwn = message.from.id === me
  return (
    <>
      {line.type === 'group' && (
        <span class="chat-row-from">
          <bdi class="chat-row-from-name" dir="auto">
            {isOwn ? w.you : message.from.name}
          </bdi>
          {!isOwn && ':'}
        </span>
      )}
      <bdi class="chat-row-said" dir="auto">
        {snippetOf(message)}
      </bdi>
    </>
  )
}
