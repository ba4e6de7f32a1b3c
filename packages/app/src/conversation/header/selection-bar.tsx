// The bar in place of the header while messages are selected: their count, and the actions on all of them.
import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Message } from '../../contract/objects.ts'
import { begin } from '../../parts/attempt.ts'
import { Bar } from '../../parts/bar.tsx'
import { copyText } from '../../parts/fields/clipboard.ts'
import { IconButton } from '../../parts/icons/icon-button.tsx'
import { standAbove } from '../../router.ts'
import { forward } from '../forwarding/forward.tsx'
import { eraseMessages } from '../rows/action-menu.tsx'
import { allowedFor } from '../rows/action-rules.ts'
import { useTalk } from '../talk.ts'
import './selection-bar.css'
import { selectingWords } from '../forwarding/words.ts'

export function SelectionBar(): VNode {
  const talk = useTalk()
  const w = selectingWords.value
  const messages = [...(talk.selection.value?.values() ?? [])].toSorted((one, other) => one.ts - other.ts)
  const end = (): void => void (talk.selection.value = undefined)
  useEffect(() => {
    const stepDown = standAbove(end)
    const onKey = ({ key }: KeyboardEvent): void =>
      void (key === 'Escape' && !document.querySelector('dialog') && end())
    document.addEventListener('keydown', onKey)
    return () => {
      stepDown()
      document.removeEventListener('keydown', onKey)
      requestAnimationFrame(keepFocus)
    }
  }, [])
  const context = { chat: talk.chat.value, me: talk.me, nowMs: Date.now() }
  const eraseForAll = messages.every(message => allowedFor(message, context).eraseForAll)
  const endIf = (work: Promise<boolean>): void => begin(work.then(isDone => isDone && end()))
  return (
    <Bar
      back="none"
      end={
        <>
          {messages.some(({ text }) => text) && (
            <IconButton
              icon="copy"
              label={w.copy}
              onClick={() => endIf(copyText(textsOf(messages)).then(() => true))}
            />
          )}
          {context.chat.state !== 'request' && (
            <IconButton icon="forward" label={w.forward} onClick={() => endIf(forward(messages))} />
          )}
          <IconButton icon="trash" label={w.erase} onClick={() => endIf(eraseMessages(messages, { eraseForAll }))} />
        </>
      }
    >
      <IconButton icon="x" label={w.end} onClick={end} />
      <h1 class="selection-count">{w.selected(messages.length)}</h1>
      <span class="unseen" role="status">
        {w.selected(messages.length)}
      </span>
    </Bar>
  )
}

/** The focus is lost with the bar, or with the box of a row: the keyboard continues at the row that it has reached. */
function keepFocus(): void {
  if (document.activeElement !== document.body) return
  document.querySelector<HTMLElement>('article[data-id][tabindex="0"]')?.focus({ preventScroll: true })
}

const textsOf = (messages: readonly Message[]): string =>
  messages
    .map(({ text }) => text)
    .filter(Boolean)
    .join('\n')
