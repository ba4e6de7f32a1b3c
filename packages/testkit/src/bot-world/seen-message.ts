// A message as a test sees it.
import type { Message } from '@postern/bot-api/objects'

export type SeenMessage = {
  id: string
  from: { id: string; name: string }
  /** The text, or the caption of a file. */
  text?: string | undefined
  replyTo?: string | undefined
  /** The texts of the buttons, row by row. */
  buttons: string[][]
  file?: { name: string; size: number; type: string } | undefined
  poll?: { question: string; closed: boolean; options: { text: string; votes: number }[] } | undefined
}

/** @internal */
export const seenMessage = ({ id, from, text, reply_to, buttons = [], file, poll }: Message): SeenMessage => ({
  id,
  from: { id: from.id, name: from.name },
  text,
  replyTo: reply_to,
  buttons: buttons.map(row => row.map(button => button.text)),
  file: file && { name: file.name, size: file.size, type: file.type },
  poll: poll && {
    question: poll.question,
    closed: poll.closed,
    options: poll.options.map(option => ({ text: option.text, votes: option.votes })),
  },
})

/** @internal In one line, for comparing. */
export function lineOf({ text, buttons, file, poll }: SeenMessage): string {
  const parts = [
    text,
    file && `(file ${file.name})`,
    poll && `(poll ${poll.question})`,
    ...buttons.flat().map(button => `[${button}]`),
  ]
  return parts.filter(part => part !== undefined).join(' ')
}
