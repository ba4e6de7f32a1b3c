// A new poll: the question, its answers, and whether several may be chosen.

import { contentLimits, optionFault, optionsCountFault, questionFault } from '@postern/protocol'
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { PollDraft } from '../contract/objects.ts'
import { call } from '../link/link.ts'
import { Dialog } from '../parts/dialogs/dialog.tsx'
import { ask } from '../parts/dialogs/dialogs.tsx'
import { Button, ButtonPair } from '../parts/fields/button.tsx'
import { Switch } from '../parts/fields/switch.tsx'
import { TextField } from '../parts/fields/text-field.tsx'
import './new-poll.css'
import type { Destination } from './send-files.tsx'
import { attachingWords } from './words.ts'

const { pollOptionsMin, pollOptionsMax, pollQuestionCharsMax, pollOptionCharsMax } = contentLimits

/** Asks for it; returns whether it was sent. */
export async function sendNewPoll({ chat, reply_to }: Destination): Promise<'sent' | 'kept'> {
  const poll = await ask<PollDraft | undefined>(answer => <NewPollDialog onAnswer={answer} />)
  if (!poll) return 'kept'
  await call('sendPoll', { chat, poll, ...(reply_to !== undefined && { reply_to }) })
  return 'sent'
}

const isSound = ({ question, options }: PollDraft): boolean =>
  !questionFault(question) && !optionsCountFault(options) && !options.some(optionFault)

function NewPollDialog({ onAnswer }: { onAnswer: (poll: PollDraft | undefined) => void }): VNode {
  const question = useSignal('')
  const options = useSignal(Array.from({ length: pollOptionsMin }, () => ''))
  const multiple = useSignal(false)
  const w = attachingWords.value
  const poll: PollDraft = {
    question: question.value.trim(),
    options: options.value.map(text => text.trim()).filter(text => text !== ''),
    multiple: multiple.value,
  }
  const write = (at: number, text: string) => {
    options.value = options.value.with(at, text)
  }
  return (
    <Dialog title={w.newPoll} onClose={() => onAnswer(undefined)}>
      <div class="new-poll">
        <TextField
          label={w.question}
          value={question.value}
          maxLength={pollQuestionCharsMax}
          autofocus
          onInput={text => void (question.value = text)}
        />
        {options.value.map((option, at) => (
          <TextField
            key={at}
            label={w.option(at + 1)}
            value={option}
            maxLength={pollOptionCharsMax}
            onInput={text => write(at, text)}
          />
        ))}
        {options.value.length < pollOptionsMax ? (
          <Button kind="quiet" icon="plus" onClick={() => void (options.value = [...options.value, ''])}>
            {w.addOption}
          </Button>
        ) : (
          <p class="new-poll-note">{w.optionsMax}</p>
        )}
        <Switch label={w.multiple} on={multiple.value} onChange={on => void (multiple.value = on)} />
      </div>
      <ButtonPair>
        <Button kind="plain" onClick={() => onAnswer(undefined)}>
          {w.cancel}
        </Button>
        <Button disabled={!isSound(poll)} onClick={() => onAnswer(poll)}>
          {w.send}
        </Button>
      </ButtonPair>
    </Dialog>
  )
}
