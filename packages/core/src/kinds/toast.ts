// A bot's answer to a press: shown to the presser alone, and once.
import { assertKept, CodedError, charsFault, type PressId, toastRange } from '@postern/protocol'
import { appendForPeople } from '../journal/journal.ts'
import { applied, ignored } from '../messages/outcome.ts'
import { noteAnswered, type PressRow, pressBy } from '../messages/presses.ts'
import type { Kind, ValidateContext } from './kind.ts'

export type NewToast = { press: PressId; text: string }

export const toast = {
  way: 'to one member',
  check: (_core, _chat, { text }) => {
    assertKept('text', charsFault(text, toastRange))
  },
  body: (_core, _chat, { press, text }) => ({ kind: 'toast', press, text }),
  /** Runs at the presser. Only the bot whose button it was may answer. */
  apply: (core, database, { chat: { id: chat }, sender: from, body }) => {
    const row = pressBy(database, body.press, core.own.id)
    if (row?.chat_id !== chat) return ignored('no such press')
    if (row.bot !== from) return ignored("not the bot's button")
    if (row.answered) return ignored('answered before')
    noteAnswered(database, row)
    const told = { press_id: body.press, text: body.text }
    appendForPeople(core, database, { type: 'toast', chat_id: chat, toast: told })
    return applied
  },
} satisfies Kind<'toast', NewToast>

/** Throws unless the press waits for its answer. */
export function assertAnswerable({ elapsed }: Pick<ValidateContext, 'elapsed'>, press: PressRow): void {
  if (press.answered) throw new CodedError('press-answered')
  if (elapsed.nowMs() > press.answer_by_ms) throw new CodedError('press-too-late')
}
