// The records of button presses, on the presser's side and on the bot's.
import {
  type AccountId,
  type ChatId,
  clientLimits,
  contentLimits,
  type MessageId,
  type PressId,
} from '@postern/protocol'
import type { Core } from '../context.ts'
import type { Database } from '../storage/database.ts'
import { ageOf } from './age.ts'

export type PressRow = {
  id: PressId
  chat_id: ChatId
  message_id: MessageId
  presser: AccountId
  bot: AccountId
  ts: number
  /** The end of the time in which it can be answered, in elapsed time. */
  answer_by_ms: number
  answered: number
}

/** False if it is known already: a press whose answer was lost is sent again. */
export function notePress(
  core: Pick<Core, 'clock' | 'elapsed'>,
  database: Database,
  press: Omit<PressRow, 'answer_by_ms' | 'answered'>,
): boolean {
  const nowMs = core.elapsed.nowMs()
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

/**
 * A press of a button of that bot. The presser draws the id at random, so only a later press can copy it, from another
 * chat. The oldest unanswered press is meant: otherwise the answer would go to the copier.
 */
export const pressTo = (reads: Pick<Database, 'get'>, press: PressId, bot: AccountId): PressRow | undefined =>
  reads.get<PressRow>('SELECT * FROM press WHERE id = ? AND bot = ? ORDER BY answered, ts LIMIT 1', press, bot)

/** A press by that person. */
export const pressBy = (reads: Pick<Database, 'get'>, press: PressId, presser: AccountId): PressRow | undefined =>
  reads.get<PressRow>('SELECT * FROM press WHERE id = ? AND presser = ?', press, presser)

export function noteAnswered(database: Database, { id, chat_id }: PressRow): void {
  database.run('UPDATE press SET answered = 1 WHERE id = ? AND chat_id = ?', id, chat_id)
}
