// An edit: replaces the sender's own text and buttons for everyone.
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
import { assertSpans, assertText } from './text-rules.ts'

/** Absent fields stay, an empty list removes the buttons, and an empty text removes a caption. */
export type MessageEdit = Omit<ContentBodies['edit'], 'kind' | 'target'> & { message: MessageId }

export const edit = {
  way: 'in the chat',
  check: assertEditable,
  body: (core, chat, asked) => {
    const {
      message: target,
      text,
      mentions,
      entities,
      buttons,
    } = isOfSpans(asked) ? withStandingText(core, chat, asked) : asked
    if (text === undefined && buttons === undefined) return undefined
    return {
      kind: 'edit',
      target,
      ...(text !== undefined && { text }),
      ...(mentions && { mentions }),
      ...(entities && { entities }),
      ...(buttons && { buttons }),
    }
  },
  apply: applyEdit,
} satisfies Kind<'edit', MessageEdit>

/** An edit of mentions or entities alone refers to the current text. */
export const isOfSpans = (asked: MessageEdit): boolean =>
  (asked.mentions !== undefined || asked.entities !== undefined) && asked.text === undefined

/** Mentions stay if only entities are given, and the other way round. */
function withStandingText({ store }: ValidateContext, chat: ChatId, asked: MessageEdit): MessageEdit {
  const { mentions, entities, ...others } = asked
  const body = bodyOf(findMessage(store, chat, asked.message))
  if (body.kind !== 'text' && body.kind !== 'file') return others
  // Removing spans that are not there is no edit, and causes no event.
  if (isNoChange(mentions, body.mentions) && isNoChange(entities, body.entities)) return others
  const text = body.text ?? ''
  const spans = { mentions: mentions ?? body.mentions ?? [], entities: entities ?? body.entities ?? [] }
  assertSpans(text, spans)
  return { ...others, text, ...spans }
}

const isNoChange = (asked: readonly unknown[] | undefined, current: readonly unknown[] = []): boolean =>
  asked === undefined || (asked.length === 0 && current.length === 0)

type Editable = Extract<Body, { kind: 'text' | 'file' }>
type SaidEdit = ContentEventOf<'edit'>

function applyEdit(core: ApplyContext, database: Database, said: SaidEdit): Outcome {
  const { chat, sender, ts, body } = said
  const row = lookUpMessage(database, chat.id, body.target)
  if (!row) return ignored('no such message')
  if (row.sender !== sender) return ignored("not the sender's message")
  const before = bodyOf(row)
  if (before.kind !== 'text' && before.kind !== 'file') return ignored('nothing to edit')
  // The sender's own client checks the same before it sends: this is for modified clients.
  if (isTooLate(before, ts - row.ts - clientLimits.relayTsAheadMsMax)) return ignored('edit too late')
  // Text and buttons are separate: if two edits cross, neither undoes the other.
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
  const { text, mentions, entities, buttons, ...rest } = before
  const words = isTextNew ? body : { text, mentions, entities }
  const shown = areButtonsNew ? body.buttons : buttons
  return {
    ...rest,
    ...(words.text && { text: words.text }),
    ...withFitting(words),
    ...(shown && shown.length > 0 && { buttons: shown }),
  } as Editable
}

/** Throws unless the message is this account's own, is no poll, and is young enough or has buttons. */
function assertEditable(core: ValidateContext, chat: ChatId, { message: target, ...asked }: MessageEdit): void {
  visibleChat(core.store, chat)
  const message = findMessage(core.store, chat, target)
  if (message.sender !== core.own.id) throw new CodedError('not-own-message')
  const body = bodyOf(message)
  if (body.kind === 'poll') throw new CodedError('poll-not-editable')
  const isText = body.kind === 'text'
  if (isText && asked.text === '') assertKept('text', EMPTY_TEXT_RULE)
  if (asked.text) assertText(asked.text)
  if (asked.text !== undefined) assertSpans(asked.text, asked)
  if (asked.buttons) assertButtons(core, asked.buttons)
  if ((body.kind === 'text' || body.kind === 'file') && isTooLate(body, ageOf(core, message.ts)))
    throw new CodedError('edit-too-late')
}
