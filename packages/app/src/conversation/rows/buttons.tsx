// The buttons under a bot's message: one press at a time, and its outcome.
import type { VNode } from 'preact'
import type { Message, PressState } from '../../contract/objects.ts'
import { call } from '../../link/link.ts'
import { begin } from '../../parts/attempt.ts'
import { Icon } from '../../parts/icons/icon.tsx'
import { lazyImport } from '../../parts/lazy-import.ts'
import { Spinner } from '../../parts/spinner.tsx'
import { useTalk } from '../talk.ts'
import { conversationWords } from '../words.ts'
import './buttons.css'

const links = lazyImport(() => import('../../parts/dialogs/open-link.tsx'))

type ButtonOf = NonNullable<Message['buttons']>[number][number]

export function Buttons({ message }: { message: Message }): VNode | null {
  const talk = useTalk()
  const press = talk.presses.value?.[message.id]
  if (!message.buttons?.length) return null
  return (
    <div class="buttons">
      {message.buttons.map((row, index) => (
        <div class="buttons-row" key={index}>
          {row.map((button, at) => (
            <BotButton key={at} button={button} message={message} press={press} />
          ))}
        </div>
      ))}
      {press?.state === 'unanswered' && (
        <p class="buttons-fault" role="status">
          <Icon name="circle-alert" size={15} />
          {conversationWords.value.botSilent}
        </p>
      )}
    </div>
  )
}

type BotButtonProps = { button: ButtonOf; message: Message; press: PressState | undefined }

function BotButton({ button, message, press }: BotButtonProps): VNode {
  const talk = useTalk()
  const isPending = press?.state === 'pending'
  const isPressed = isPending && press.data === button.data
  const isOff = isPending || talk.chat.value.state !== 'active'
  const { data, url } = button
  const run = (): void => {
    if (isOff) return
    if (data !== undefined) begin(call('press', { chat: message.chat_id, message: message.id, data }))
    else if (url !== undefined) begin(links().then(({ openLink }) => openLink({ url, from: message.from.name })))
  }
  return (
    <button
      class={isPressed ? 'buttons-button buttons-button-pressed' : 'buttons-button'}
      type="button"
      // Not `disabled`: the focus would be lost with the press.
      aria-disabled={isOff}
      aria-busy={isPressed}
      onClick={run}
    >
      {isPressed && <Spinner />}
      <span class="buttons-label" dir="auto">
        {button.text}
      </span>
      {isPressed && <span class="unseen">{conversationWords.value.pressed}</span>}
      {url !== undefined && (
        <span class="buttons-external">
          <Icon name="external-link" size={13} />
          <span class="unseen">{conversationWords.value.opensPage}</span>
        </span>
      )}
    </button>
  )
}
