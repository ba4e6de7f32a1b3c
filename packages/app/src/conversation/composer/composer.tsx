// The composer: the strip of its subject, the field, the lists above it, and the buttons next to it.
import { type Signal, useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { AttachButton } from '../../attaching/attach-button.tsx'
import { VoiceButton, VoiceStrip } from '../../attaching/voice-button.tsx'
import type { VoiceRecording } from '../../attaching/voice-recording.ts'
import { voiceType } from '../../attaching/voice-type.ts'
import { call, useView } from '../../link/link.ts'
import { begin } from '../../parts/attempt.ts'
import { Icon } from '../../parts/icons/icon.tsx'
import { say } from '../../parts/toasts/live-region.tsx'
import { returnToField, type Talk, useTalk } from '../talk.ts'
import { pageTiming } from '../timing.ts'
import { type Completion, commandsOf } from '../writing/completion.ts'
import { AboutStrip } from './about-strip.tsx'
import { CompletionChoice } from './choosing.ts'
import { CompletionMenu } from './completion-menu.tsx'
import './composer.css'
import { submitField } from '../submit.ts'
import { DraftKeeper } from '../writing/drafts.ts'
import { loadFormatting } from '../writing/formatting.ts'
import { TypingSigns } from '../writing/typing-signs.ts'
import { EmojiButton } from './emoji-button.tsx'
import { Field } from './field.tsx'
import { destinationOf, filesSent } from './files.tsx'
import { composerWords } from './words.ts'

export function Composer(): VNode {
  const talk = useTalk()
  const settings = useView('settings')
  const choosing = useMemo(() => new CompletionChoice(talk), [talk])
  const caretTo = useSignal<number | undefined>(undefined)
  const recording = useSignal<VoiceRecording | undefined>(undefined)
  const choices = choosing.choices.value
  const choose = (choice: Completion | undefined): void => begin(chooseThen(choosing, choice, caretTo))
  useDrafts(talk)
  useTypingSigns(talk)
  useEffect(() => returnToField(talk), [talk])
  useEffect(() => begin(loadFormatting()), [])
  useEffect(() => {
    if (choices.length > 0) say(composerWords.value.choices(choices.length))
  }, [choices.length])
  if (recording.value)
    return (
      <div class="composer">
        <div class="composer-row">
          <VoiceStrip
            to={destinationOf(talk)}
            recording={recording.value}
            onOver={how => {
              recording.value = undefined
              requestAnimationFrame(keepFocus)
              if (how === 'sent') filesSent(talk)
            }}
          />
        </div>
      </div>
    )
  return (
    <div class="composer">
      {choices.length > 0 && <CompletionMenu choices={choices} at={choosing.at.value} onChoose={choose} />}
      <AboutStrip />
      <CharsLeft />
      <form
        class="composer-row"
        onSubmit={event => {
          event.preventDefault()
          begin(submitField(talk))
        }}
      >
        <AttachButton to={() => destinationOf(talk)} onSent={() => filesSent(talk)} />
        <Field
          choosing={choosing}
          enterSends={settings.value?.enterSends ?? true}
          caretTo={caretTo}
          onChoose={() => choose(choices[choosing.at.value])}
        />
        <Ends choosing={choosing} caretTo={caretTo} recording={recording} />
      </form>
    </div>
  )
}

/** On a touch screen the focus goes to the record button, because in the field it would open the keyboard. */
function keepFocus(): void {
  if (document.activeElement === document.body)
    document.querySelector<HTMLElement>('.composer-row > button:last-child')?.focus()
}

async function chooseThen(
  choosing: CompletionChoice,
  choice: Completion | undefined,
  caretTo: Signal<number | undefined>,
): Promise<void> {
  caretTo.value = await choosing.choose(choice)
}

/** In an empty field the button for commands, otherwise the send button. */
type Beside = {
  choosing: CompletionChoice
  caretTo: Signal<number | undefined>
  recording: Signal<VoiceRecording | undefined>
}

function Ends({ choosing, caretTo, recording }: Beside): VNode {
  const talk = useTalk()
  const w = composerWords.value
  const { text, about, canSubmit, wantsFocus } = talk.compose
  const isEmpty = text.value === ''
  const hasCommands = commandsOf(talk.chat.value).length > 0
  const showCommands = (): void => {
    text.value = text.value === '/' ? '' : '/'
    choosing.typed()
    choosing.caret.value = text.value.length
    wantsFocus.value++
  }
  const onEmoji = (emoji: string): void => {
    const at = Math.min(choosing.caret.value, text.value.length)
    text.value = `${text.value.slice(0, at)}${emoji}${text.value.slice(at)}`
    caretTo.value = at + emoji.length
  }
  return (
    <>
      {hasCommands && (isEmpty || text.value === '/') && (
        <button class="composer-slash" type="button" aria-label={w.commands} title={w.commands} onClick={showCommands}>
          /
        </button>
      )}
      <span class={isEmpty && !hasCommands ? '' : 'composer-emoji-wide'}>
        <EmojiButton onPick={onEmoji} />
      </span>
      {isEmpty && voiceType() !== undefined && (
        <VoiceButton
          onRecording={begun => {
            recording.value = begun
          }}
        />
      )}
      {!isEmpty && (
        <button
          class="composer-send"
          type="submit"
          disabled={!canSubmit.value}
          aria-label={about.value.kind === 'edit' ? w.save : w.send}
          title={about.value.kind === 'edit' ? w.save : w.send}
          // The field keeps the focus, and a phone its keyboard.
          onPointerDown={event => event.preventDefault()}
        >
          <Icon name={about.value.kind === 'edit' ? 'check' : 'arrow-up'} />
        </button>
      )}
    </>
  )
}

function CharsLeft(): VNode | null {
  const left = useTalk().compose.charsLeft.value
  const w = composerWords.value
  if (left === undefined) return null
  return (
    <p class={left < 0 ? 'composer-chars composer-chars-over' : 'composer-chars'} role="status">
      {left < 0 ? w.tooLong(-left) : w.charsLeft(left)}
    </p>
  )
}

function useTypingSigns(talk: Talk): void {
  useEffect(() => {
    const { id, bot } = talk.chat.peek()
    // A bot does not receive it.
    if (bot) return undefined
    const { text, about } = talk.compose
    // A failure is not shown: the message itself follows.
    const tell = (): void => void call('typing', { chat: id }).catch(() => undefined)
    const signs = new TypingSigns(pageTiming, tell, text.peek())
    // An edit is no message to come.
    return text.subscribe(value => about.peek().kind !== 'edit' && signs.changed(value))
  }, [talk])
}

function useDrafts(talk: Talk): void {
  useEffect(() => {
    const { id, draft } = talk.chat.peek()
    const keeper = new DraftKeeper(pageTiming, kept => begin(call('draft', { chat: id, ...kept })), draft)
    const { text, about } = talk.compose
    const stops = [text, about].map(each => each.subscribe(() => keeper.changed(talk.compose.draft())))
    const flush = (): void => keeper.flush()
    document.addEventListener('visibilitychange', flush)
    addEventListener('pagehide', flush)
    return () => {
      flush()
      for (const stop of stops) stop()
      document.removeEventListener('visibilitychange', flush)
      removeEventListener('pagehide', flush)
    }
  }, [talk])
}
