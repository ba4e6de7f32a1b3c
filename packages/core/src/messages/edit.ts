// Editing: the sender's own words and buttons, replaced for everybody.
import { type ChatId, CodedError, clientLimits, contentLimits, type MessageId } from '@postern/protocol'
import { withFitting } from '@postern/protocol/content'
import { visibleChat } from '../chats/chats.ts'
import type { Core } from '../context.ts'
import type { Database } from '../storage/database.ts'
import { ageOf } from './age.ts'
import { assertButtons, keepOffered } from './buttons.ts'
import { type Body, bodyOf, findMessage, lookUpMessage, type MessageRow } from './messages.ts'
import type { SaidOf } from './said.ts'
import { tellAbout } from './tell-about.ts'
import { assertMentions, assertText, type NewText } from './text-rules.ts'

/** What is absent stays; no buttons take the buttons away; an empty text takes a caption away. */
export type MessageEdit = Partial<Omit<NewText, 'replyTo'>> & { message: MessageId }

type Editable = Extract<Body, { kind: 'text' | 'file' }>
type Edit = SaidOf<'edit'>

export function takeEdit(core: Core, database: Database, edit: Edit): void {
  const { chat, sender, ts, body } = edit
  const row = lookUpMessage(database, chat.id, body.target)
  if (!row || row.sender !== sender) return
  const before = bodyOf(row)
  if (before.kind !== 'text' && before.kind !== 'file') return
  // The sender's own client asks the same before it sends: this is for those whose client does not.
  if (isTooLate(before, ts - row.ts - clientLimits.relayTsAheadMsMax)) return
  // Words and buttons each on their own: of two edits that cross, neither takes back what the other changed.
  const isTextNew = body.text !== undefined && ts > (row.text_ts ?? 0) && (body.text !== '' || before.kind === 'file')
  const areButtonsNew = body.buttons !== undefined && ts > (row.buttons_ts ?? 0)
  if (!isTextNew && !areButtonsNew) return
  if (areButtonsNew && sender === core.own.id) keepOffered(database, { message: row.id, buttons: before.buttons, ts })
  const edited: MessageRow = {
    ...row,
    body: JSON.stringify(editedBody(before, edit, { isTextNew, areButtonsNew })),
    edited_ts: Math.max(ts, row.edited_ts ?? 0),
    text_ts: isTextNew ? ts : row.text_ts,
    buttons_ts: areButtonsNew ? ts : row.buttons_ts,
  }
  database.run(
    'UPDATE message SET body = ?, edited_ts = ?, text_ts = ?, buttons_ts = ? WHERE id = ?',
    edited.body,
    edited.edited_ts,
    edited.text_ts,
    edited.buttons_ts,
    row.id,
  )
  if (sender !== core.own.id) tellAbout(core, database, { chat, type: 'edited', message: row.id, by: sender, ts })
}

/** Without buttons there is an end to it. */
const isTooLate = (body: Editable, ageMs: number): boolean =>
  ageMs > contentLimits.editableMs && (body.buttons?.length ?? 0) === 0

type News = { isTextNew: boolean; areButtonsNew: boolean }

function editedBody(before: Editable, { body }: Edit, { isTextNew, areButtonsNew }: News): Editable {
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
export function assertEditable(core: Core, chat: ChatId, { message: target, ...edit }: MessageEdit): void {
  visibleChat(core.store, chat)
  const message = findMessage(core.store, chat, target)
  if (message.sender !== core.own.id) throw new CodedError('not-own-message')
  const body = bodyOf(message)
  if (body.kind === 'poll') throw new CodedError('poll-not-editable')
  const isText = body.kind === 'text'
  if (edit.text !== undefined && (isText || edit.text !== '')) assertText(edit.text)
  if (edit.text !== undefined) assertMentions(edit.text, edit.mentions)
  if (edit.buttons) assertButtons(core, edit.buttons)
  if ((body.kind === 'text' || body.kind === 'file') && isTooLate(body, ageOf(core, message.ts)))
    throw new CodedError('edit-too-late')
}
