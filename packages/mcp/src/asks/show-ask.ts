// The message of a question: as it is asked, and as it shows how it ended, so that the chat is the log of decisions.
import type { Button } from '@postern/protocol/content'
import type { AskWords } from '../words.ts'
import { type Ask, type AskState, buttonData } from './ask.ts'

/** Three rows of two is the most that a message has. */
const IN_ONE_COLUMN = 3

export function askedText({ question, freeText }: Ask, words: AskWords): string {
  return freeText ? `${question}\n\n${words.replyHint}` : question
}

export function askButtons({ id, options }: Ask): Button[][] {
  const buttons = options.map((text, choice) => ({ text, data: buttonData(id, choice) }))
  const perRow = buttons.length > IN_ONE_COLUMN ? 2 : 1
  return Array.from({ length: Math.ceil(buttons.length / perRow) }, (_, row) =>
    buttons.slice(row * perRow, (row + 1) * perRow),
  )
}

export const endedText = (ask: Ask, words: AskWords): string => `${ask.question}\n\n${ending(ask, words)}`

function ending({ state, options }: Ask, words: AskWords): string {
  switch (state.kind) {
    case 'open':
      return words.replyHint
    case 'chosen':
      return words.answered({ label: options[state.choice] ?? '', name: state.by.name, time: timeOf(state.ts) })
    case 'replied':
      return words.replied({ name: state.by.name, time: timeOf(state.ts) })
    case 'expired':
      return words.expired
    case 'cancelled':
      return words.cancelled
  }
}

/** Everybody reads the same time, wherever the gateway runs. */
const timeOf = (ts: number): string => `${new Date(ts).toISOString().slice(11, 16)} UTC`

/** For a person who presses a button of a question that is over. */
export function lateToast({ options }: Ask, state: Exclude<AskState, { kind: 'open' }>, { toasts }: AskWords): string {
  switch (state.kind) {
    case 'chosen':
      return toasts.already({ label: options[state.choice] ?? '', name: state.by.name })
    case 'replied':
      return toasts.alreadyReplied(state.by.name)
    case 'expired':
      return toasts.expired
    case 'cancelled':
      return toasts.cancelled
  }
}
