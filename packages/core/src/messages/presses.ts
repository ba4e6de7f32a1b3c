// Presses of buttons: told to the bot alone, answered by it once and to the presser alone.
import {
  type AccountId,
  type ChatId,
  CodedError,
  clientLimits,
  contentLimits,
  type Deadline,
  HALF_RULE,
  isCoded,
  type MessageId,
  PRESS_ID_BYTES,
  type PressId,
  pressIdFromBytes,
} from '@postern/protocol'
import type { KnownBody } from '@postern/protocol/content'
import { visibleChat } from '../chats/chats.ts'
import type { Core } from '../context.ts'
import { personOf, profileOf } from '../identity/people.ts'
import { ownProfile } from '../identity/profile.ts'
import { appendEvent } from '../journal/journal.ts'
import { isUnanswered, onlineAgain } from '../relay-link/relay-answers.ts'
import type { Database } from '../storage/database.ts'
import { findKey, type Idempotency, noteKey } from '../storage/sent-keys.ts'
import { ageOf } from './age.ts'
import { hasButton, hasOffered } from './buttons.ts'
import { findMessage, lookUpMessage } from './messages.ts'
import { sendDirect } from './send-direct.ts'

type PressRow = {
  id: PressId
  chat_id: ChatId
  message_id: MessageId
  presser: AccountId
  bot: AccountId
  ts: number
  /** By the time that passed. */
  answer_by_ms: number
  answered: number
}

/** What somebody has told this account alone. */
type Told<Kind extends 'press' | 'toast'> = {
  chat: ChatId
  from: AccountId
  ts: number
  body: Extract<KnownBody, { kind: Kind }>
}

export async function pressButton(
  core: Core,
  { chat, message, data }: { chat: ChatId; message: MessageId; data: string },
  deadline: Deadline,
): Promise<PressId> {
  assertActive(core, chat)
  const row = findMessage(core.store, chat, message)
  const bot = row.sender
  if (bot === core.own.id || !profileOf(core.store, bot).bot)
    throw new CodedError('bad-field', { field: 'message', rule: 'only the messages of bots have buttons to press' })
  if (!hasButton(row, data))
    throw new CodedError('bad-field', { field: 'data', rule: 'there is no such button under the message' })
  const id = pressIdFromBytes(core.provider.randomBytes(PRESS_ID_BYTES))
  const press = { id, chat_id: chat, message_id: message, presser: core.own.id, bot, ts: core.clock.nowMs() }
  await core.store.write(database => notePress(core, database, press), 'recorded')
  await tell(core, { chat, to: bot }, { body: { kind: 'press', press: id, target: message, data }, deadline })
  return id
}

/** For the bot. A press of what it never offered, or of a message that is gone, is nobody's business. */
export function takePress(core: Core, database: Database, { chat, from, ts, body }: Told<'press'>): void {
  const row = lookUpMessage(database, chat, body.target)
  const isForUs = row?.sender === core.own.id && ownProfile(core.store).profile.bot
  if (!isForUs || from === core.own.id || !hasOffered(database, row, body.data)) return
  const press = { id: body.press, chat_id: chat, message_id: row.id, presser: from, bot: core.own.id, ts }
  if (!notePress(core, database, press)) return
  const button = { message_id: row.id, from: personOf(database, from), data: body.data, press_id: body.press }
  appendEvent(core, database, { type: 'button', chat_id: chat, button })
}

/** False when it is known already: a press whose answer was lost is sent again. */
function notePress(core: Core, database: Database, press: Omit<PressRow, 'answer_by_ms' | 'answered'>): boolean {
  const nowMs = core.passed.nowMs()
  database.run('DELETE FROM press WHERE taken_ms < ?', nowMs - clientLimits.pressesKeptMs)
  const { id, chat_id, message_id, presser, bot, ts } = press
  const { changes } = database.run(
    `INSERT OR IGNORE INTO press (id, chat_id, message_id, presser, bot, ts, taken_ms, answer_by_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    chat_id,
    message_id,
    presser,
    bot,
    ts,
    nowMs,
    nowMs + contentLimits.pressAnsweredWithinMs - ageOf(core, ts),
  )
  return changes === 1
}

/** One at a time for one press: whoever calls keeps to that. */
export async function answerPress(
  core: Core,
  { press, text, idempotency }: { press: PressId; text: string; idempotency?: Idempotency },
  deadline: Deadline,
): Promise<void> {
  const row = core.store.get<PressRow>('SELECT * FROM press WHERE id = ? AND bot = ?', press, core.own.id)
  if (!row) throw new CodedError('press-not-found', { press })
  if (!text.isWellFormed()) throw new CodedError('bad-field', { field: 'text', rule: HALF_RULE })
  if (idempotency && findKey(core, idempotency)) return
  if (row.answered) throw new CodedError('press-answered')
  if (core.passed.nowMs() > row.answer_by_ms) throw new CodedError('press-too-late')
  const { chat_id: chat, presser: to } = row
  await tell(core, { chat, to }, { body: { kind: 'toast', press, text }, deadline })
  await core.store.write(database => {
    noteAnswered(database, press)
    if (idempotency) noteKey(database, idempotency, { subject: press, nowMs: core.passed.nowMs() })
  })
}

/** For the presser, from the bot whose button it was, and once. */
export function takeToast(core: Core, database: Database, { chat, from, body }: Told<'toast'>): void {
  const row = database.get<PressRow>('SELECT * FROM press WHERE id = ? AND presser = ?', body.press, core.own.id)
  if (row?.bot !== from || row.chat_id !== chat || row.answered) return
  noteAnswered(database, body.press)
  if (!core.reportsAll) return
  appendEvent(core, database, { type: 'toast', chat_id: chat, toast: { press_id: body.press, text: body.text } })
}

function noteAnswered(database: Database, press: PressId): void {
  database.run('UPDATE press SET answered = 1 WHERE id = ?', press)
}

function assertActive(core: Core, chat: ChatId): void {
  const { state } = visibleChat(core.store, chat)
  if (state !== 'active') throw new CodedError(state === 'request' ? 'chat-is-request' : 'chat-left')
}

type Telling = { body: KnownBody; deadline: Deadline }

/** Until the relay has it: the other side knows a press by its id, and does not take it twice. */
async function tell(core: Core, to: { chat: ChatId; to: AccountId }, telling: Telling): Promise<void> {
  for (let isInDoubt = false; ; ) {
    // Once it may be with the relay, nobody is told any more that it is not.
    if (isInDoubt) await onlineAgain(core, telling.deadline)
    else await core.link.whenOnline(telling.deadline.leftMs())
    assertActive(core, to.chat)
    const outcome = await sendDirect(core, to, telling).catch((error: unknown) => {
      if (isUnanswered(error)) return isCoded(error, 'relay-unreachable') ? ('unsent' as const) : ('in doubt' as const)
      // One may have been removed meanwhile; the relay knows it first.
      assertActive(core, to.chat)
      // Each try is sealed anew: a refusal says nothing about an earlier one, whose answer was lost.
      if (isInDoubt) throw new CodedError('send-in-doubt', {}, { cause: error })
      throw isCoded(error, 'group-unknown') ? new CodedError('chat-left') : error
    })
    if (outcome === 'sent') return
    if (isInDoubt && (outcome === 'gone' || outcome === 'broken')) throw new CodedError('send-in-doubt')
    if (outcome === 'gone') throw new CodedError('not-a-member', { account: to.to })
    if (outcome === 'broken') throw new CodedError('chat-healing')
    isInDoubt ||= outcome === 'in doubt'
  }
}
