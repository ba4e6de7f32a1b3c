// A row of the queue in core's records: the message to send, and the state of its tries.
import { entityTypes, type TextEntity } from '@postern/protocol'
import type { FaultView, OutgoingFile } from '../../contract/objects.ts'
import {
  accountId,
  chatId,
  count,
  fields,
  flag,
  listOf,
  messageId,
  oneOf,
  type Shape,
  sendId,
  text,
} from '../shapes.ts'

export const mentions = listOf(fields({ user: accountId, offset: count, length: count }))
export const entities: Shape<TextEntity[]> = listOf(
  fields({ type: oneOf(...entityTypes), offset: count, length: count }, { url: text, lang: text }),
)
const newPoll = fields({ question: text, options: listOf(text), multiple: flag }, { close_ts: count })

export const outgoingFile: Shape<OutgoingFile> = fields(
  { name: text, type: text, size: count, kind: oneOf('photo', 'video', 'voice', 'file') },
  { width: count, height: count, duration_ms: count, preview: text, album: text, wave: text },
)

export const newText = fields({ chat: chatId, text }, { reply_to: messageId, mentions, entities })
export const newFile = fields({ chat: chatId, file: outgoingFile }, { text, entities, reply_to: messageId })
export const newPollMessage = fields({ chat: chatId, poll: newPoll }, { reply_to: messageId })

const bodyKind = fields({ kind: oneOf('text', 'file', 'poll') })

const textBody = fields({ kind: oneOf('text'), text }, { reply_to: messageId, mentions, entities, forwarded: flag })
const fileBody = fields(
  { kind: oneOf('file'), file: outgoingFile },
  { text, entities, reply_to: messageId, forwarded: flag },
)
const pollBody = fields({ kind: oneOf('poll'), poll: newPoll }, { reply_to: messageId })

export type QueuedBody = ReturnType<typeof textBody> | ReturnType<typeof fileBody> | ReturnType<typeof pollBody>

const queuedBody: Shape<QueuedBody> = (value, field) => {
  switch (bodyKind(value, field).kind) {
    case 'text':
      return textBody(value, field)
    case 'file':
      return fileBody(value, field)
    case 'poll':
      return pollBody(value, field)
  }
}

const fault: Shape<FaultView> = fields({ code: text, message: text })

export const outgoingRow = fields(
  {
    chat: chatId,
    /** Increases with every row: the order in which they go out, whatever the clock says. */
    place: count,
    madeMs: count,
    body: queuedBody,
    /** How often the key had to be changed, because core forgets one after a day. */
    renewed: count,
  },
  {
    /** When it was first tried under its present key: from then on the relay may have it. */
    triedMs: count,
    refused: fault,
    /**
     * The id under which it goes out: a copy of this row on another device sends it under the same one, and the others
     * accept it once.
     */
    send: sendId,
  },
)

export type QueuedRow = ReturnType<typeof outgoingRow>
export type RowUnderKey = { key: string; row: QueuedRow }

export const inOrder = (rows: RowUnderKey[], chat: string): RowUnderKey[] =>
  rows.filter(({ row }) => row.chat === chat).toSorted((one, other) => one.row.place - other.row.place)
