// How long messages are kept in a chat.
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { timerChoices, timerText } from '../i18n/timers.ts'
import { call } from '../link/link.ts'
import { Dialog, DialogText } from '../parts/dialogs/dialog.tsx'
import { ask } from '../parts/dialogs/dialogs.tsx'
import { Button, ButtonPair } from '../parts/fields/button.tsx'
import { RadioList } from '../parts/menus/radio-list.tsx'
import { groupWords } from './words.ts'

/** Asks, and sets it for everybody in the chat. */
export async function chooseTimer(chat: string, now: number): Promise<void> {
  const chosen = await ask<number | undefined>(answer => <TimerDialog now={now} onAnswer={answer} />)
  if (chosen !== undefined && chosen !== now) await call('setTimer', { chat, timerMs: chosen })
}

function TimerDialog({ now, onAnswer }: { now: number; onAnswer: (timerMs: number | undefined) => void }): VNode {
  const chosen = useSignal(now)
  const w = groupWords.value
  const choices = [...new Set([...timerChoices, now])].toSorted((one, other) => one - other)
  return (
    <Dialog title={w.timer} icon="timer" onClose={() => onAnswer(undefined)}>
      <DialogText>{w.timerHint}</DialogText>
      <RadioList
        legend={w.timer}
        value={String(chosen.value)}
        choices={choices.map(ms => ({ value: String(ms), word: timerText(ms) }))}
        onChange={value => void (chosen.value = Number(value))}
      />
      <ButtonPair>
        <Button kind="plain" onClick={() => onAnswer(undefined)}>
          {w.cancel}
        </Button>
        <Button onClick={() => onAnswer(chosen.value)}>{w.save}</Button>
      </ButtonPair>
    </Dialog>
  )
}
