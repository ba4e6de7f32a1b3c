// A message on its way out: in the place of the final message, with its actions.
import type { VNode } from 'preact'
import { OutgoingFileBody } from '../../bodies/outgoing-file.tsx'
import type { FaultView, OutgoingBody, OutgoingMessage, OutgoingState } from '../../contract/objects.ts'
import { call } from '../../link/link.ts'
import { begin } from '../../parts/attempt.ts'
import { faultText } from '../../parts/fault-words.ts'
import { Icon } from '../../parts/icons/icon.tsx'
import { IconButton } from '../../parts/icons/icon-button.tsx'
import { RichText } from '../../parts/text/rich-text.tsx'
import { TimeText } from '../../parts/text/time-text.tsx'
import { directionOf } from '../text-direction.ts'
import { conversationWords } from '../words.ts'
import './outgoing-row.css'
import { Quote } from './quote.tsx'
import { StatusSign } from './status-sign.tsx'

export function WaitingRow({ outgoing, startsGroup }: { outgoing: OutgoingMessage; startsGroup: boolean }): VNode {
  const { key, state, body, madeMs } = outgoing
  const takeBack = (): void => begin(call('takeBack', { outgoing: key }))
  const words = wordsOf(body)
  return (
    <div class={startsGroup ? 'row row-own row-first' : 'row row-own'} role="article">
      <div class="row-column">
        <div class="bubble bubble-own bubble-tail">
          {body.reply_to && <Quote id={body.reply_to} />}
          {body.kind === 'file' && <OutgoingFileBody file={body.file} sentBytes={sentBytesOf(state)} />}
          <div class="bubble-body" dir={directionOf(words)}>
            {words !== '' && (
              <span class="bubble-text">
                {'entities' in body ? <RichText text={words} entities={body.entities} /> : words}
              </span>
            )}
            <span class="bubble-meta" dir="ltr">
              <TimeText ts={madeMs} />
              {state.kind === 'refused' ? <Icon name="circle-alert" size={15} /> : <StatusSign status={state.kind} />}
            </span>
          </div>
        </div>
        {state.kind === 'refused' && <Refused fault={state.fault} outgoing={key} onTakeBack={takeBack} />}
      </div>
      {(state.kind === 'waiting' || sentBytesOf(state) !== undefined) && (
        <span class="outgoing-back">
          <IconButton icon="x" size={16} label={conversationWords.value.takeBack} onClick={takeBack} />
        </span>
      )}
    </div>
  )
}

type RefusedShown = { fault: FaultView; outgoing: string; onTakeBack: () => void }

const Refused = ({ fault, outgoing, onTakeBack }: RefusedShown): VNode => (
  <div class="outgoing-refused">
    <span role="alert">{faultText(fault)}</span>
    <span class="outgoing-actions">
      <button class="outgoing-action" type="button" onClick={() => begin(call('retry', { outgoing }))}>
        {conversationWords.value.retry}
      </button>
      <button class="outgoing-action" type="button" onClick={onTakeBack}>
        {conversationWords.value.deleteUnsent}
      </button>
    </span>
  </div>
)

/** For a file that is being uploaded. */
const sentBytesOf = (state: OutgoingState): number | undefined =>
  state.kind === 'sending' ? state.sentBytes : undefined

function wordsOf(body: OutgoingBody): string {
  switch (body.kind) {
    case 'text':
      return body.text
    case 'file':
      return body.text ?? ''
    case 'poll':
      return conversationWords.value.poll(body.poll.question)
  }
}
