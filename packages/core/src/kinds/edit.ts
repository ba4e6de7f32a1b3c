// An edit: the sender's own words and buttons, replaced for everybody.
import {
  assertKept,
  type ChatId,
  CodedError,
  clientLimits,
  contentLimits,
  EMPTY_TEXT_RULE,
  type MessageId,
} from '@postern/protocol'
import { withFitting } from '@postern/protocol/content'
import { visibleChat } from '../chats/records/chats.ts'
import { ageOf } from '../messages/age.ts'
import { type Body, bodyOf, findMessage, lookUpMessage, type MessageRow, saveEdit } from '../messages/messages.ts'
import { keepOffered } from '../messages/offered-data.ts'
import { ignored, type Outcome } from '../messages/outcome.ts'
import type { Database } from '../storage/database.ts'
import { assertButtons, dataOf } from './buttons.ts'
import type { ContentBodies, ContentEventOf } from './content-event.ts'
import type { ApplyContext, Kind, ValidateContext } from './kind.ts'
import { assertMentions, assertText } from './text-rules.ts'

/** What is absent stays; no buttons take the buttons away; an empty text takes a caption away. */
export type MessageEdit = Omit<ContentBodies['edit'], 'kind' | 'target'> & { message: MessageId }

export const edit = {
  way: 'in the chat',
  check: assertEditable,
  body: (core, chat, asked) => {
    const {
      message: target,
      text,
      mentions,
      buttons,
    } = isOfMentions(asked) ? withStandingText(core, chat, asked) : asked
    if (text === undefined && buttons === undefined) return undefined
    return {
      kind: 'edit',
      target,
      ...(text !== undefined && { text }),
      ...(mentions && { mentions }),
      ...(buttons && { buttons }),
    }
  },
  apply: applyEdit,
} satisfies Kind<'edit', MessageEdit>

/** Mentions alone stand in the text as it is now. */
export const isOfMentions = (asked: MessageEdit): boolean => asked.mentions !== undefined && asked.text === undefined

function withStandingText(
  { store }: ValidateContext,
  chat: ChatId,
  { mentions = [], ...asked }: MessageEdit,
): MessageEdit {
  const body = bodyOf(findMessage(store, chat, asked.message))
  if (body.kind !== 'text' && body.kind !== 'file') return asked
  // Taking away what is not there is no edit, and nobody is told of one.
  if (mentions.length === 0 && (body.mentions ?? []).length === 0) return asked
  const text = body.text ?? ''
  assertMentions(text, mentions)
  return { ...asked, text, mentions }
}

type Editable = Extract<Body, { kind: 'text' | 'file' }>
type SaidEdit = ContentEventOf<'edit'>

function applyEdit(core: ApplyContext, database: Database, said: SaidEdit): Outcome {
  const { chat, sender, ts, body } = said
  const row = lookUpMessage(database, chat.id, body.target)
  if (!row) return ignored('no such message')
  if (row.sender !== sender) return ignored("not the sender's message")
  const before = bodyOf(row)
  if (before.kind !== 'text' && before.kind !== 'file') return ignored('nothing to edit')
  // The sender's own client asks the same before it sends: this is for those whose client does not.
  if (isTooLate(before, ts - row.ts - clientLimits.relayTsAheadMsMax)) return ignored('edit too late')
  // Words and buttons each on their own: of two edits that cross, neither takes back what the other changed.
  const isTextNew = body.text !== undefined && ts > (row.text_ts ?? 0) && (body.text !== '' || before.kind === 'file')
  const areButtonsNew = body.buttons !== undefined && ts > (row.buttons_ts ?? 0)
  if (!isTextNew && !areButtonsNew) return ignored('later words stand')
  if (areButtonsNew && sender === core.own.id)
    keepOffered(database, { message: row.id, data: dataOf(before.buttons), ts })
  saveEdit(database, editedRow(row, before, { said, isTextNew, areButtonsNew }))
  return { kind: 'applied', about: { type: 'edited', message: row.id, by: sender, ts } }
}

function editedRow(row: MessageRow, before: Editable, news: News): MessageRow {
  const { isTextNew, areButtonsNew } = news
  const { ts } = news.said
  return {
    ...row,
    body: JSON.stringify(editedBody(before, news)),
    edited_ts: Math.max(ts, row.edited_ts ?? 0),
    text_ts: isTextNew ? ts : row.text_ts,
    buttons_ts: areButtonsNew ? ts : row.buttons_ts,
  }
}

/** A message with buttons can be edited at any time. */
const isTooLate = (body: Editable, ageMs: number): boolean =>
  ageMs > contentLimits.editableMs && (body.buttons?.length ?? 0) === 0

type News = { said: SaidEdit; isTextNew: boolean; areButtonsNew: boolean }

function editedBody(before: Editable, { said: { body }, isTextNew, areButtonsNew }: News): Editable {
  const { text, mentions, buttons, ...rest } = before
  const words = isTextNew ? { text: body.text, mentions: body.mentions } : { text, mentions }
  const shown = areButtonsNew ? body.buttons : buttons
  return {
    ...rest,
    ...(words.text && { text: words.text }),
    ...withFitting(words),
    ...(shown && shown.length > 0 && { buttons: shown }),
  } as Editable
}

/** Throws unless the message is this account's own, no poll, young enough or one with buttons. */
function assertEditable(core: ValidateContext, chat: ChatId, { message: target, ...asked }: MessageEdit): void {
  visibleChat(core.store, chat)
  const message = findMessage(core.store, chat, target)
  if (message.sender !== core.own.id) throw new CodedError('not-own-message')
  const body = bodyOf(message)
  if (body.kind === 'poll') throw new CodedError('poll-not-editable')
  const isText = body.kind === 'text'
  if (isText && asked.text === '') assertKept('text', EMPTY_TEXT_RULE)
  if (asked.text) assertText(asked.text)
  if (asked.text !== undefined) assertMentions(asked.text, asked.mentions)
  if (asked.buttons) assertButtons(core, asked.buttons)
  if ((body.kind === 'text' || body.kind === 'file') && isTooLate(body, ageOf(core, message.ts)))
    throw new CodedError('edit-too-late')
}
