// Polls: asked, voted in, and closed by their sender or by the time.
import { type ChatId, CodedError, clientLimits, type MessageId } from '@postern/protocol'
import type { PollBody } from '@postern/protocol/content'
import { findChat, visibleChat } from '../chats/chats.ts'
import type { Core } from '../context.ts'
import type { Database } from '../storage/database.ts'
import { dueMs } from './age.ts'
import { bodyOf, findMessage, lookUpMessage, type MessageRow } from './messages.ts'
import { countedVote, endTs, findPoll, type PollRow } from './poll-tally.ts'
import type { SaidOf } from './said.ts'
import { tellAbout } from './tell-about.ts'

type PollMessage = { row: MessageRow; body: PollBody; poll: PollRow }

export function takePoll(core: Core, database: Database, { id, body }: SaidOf<'poll'>): void {
  database.run('INSERT INTO poll (message_id, close_ts) VALUES (?, ?)', id, body.closeTs ?? null)
  if (body.closeTs !== undefined) core.rearm()
}

export function takeVote(core: Core, database: Database, { chat, sender, ts, body }: SaidOf<'vote'>): void {
  const asked = lookUpPoll(database, chat.id, body.target)
  if (!asked || !isVote(asked.body, body.options)) return
  const countedNow = () => countedVote(database, asked.poll, sender)
  const before = countedNow()
  const options = JSON.stringify([...body.options].sort((a, b) => a - b))
  database.run('INSERT OR IGNORE INTO vote VALUES (?, ?, ?, ?)', body.target, sender, ts, options)
  forgetOldVotes(database, { message: body.target, voter: sender })
  // Of a poll that was closed here the end is still to be told, and this vote with it.
  const isEnding = asked.poll.closed_ts !== null && !asked.poll.closed
  if (sender !== core.own.id && !isEnding && countedNow() !== before) tellPoll(core, database, { row: asked.row, ts })
}

/** Earlier votes are kept: the end of the poll may yet turn out to lie before the later ones. */
function forgetOldVotes(database: Database, { message, voter }: { message: MessageId; voter: string }): void {
  database.run(
    `DELETE FROM vote WHERE message_id = ? AND account_id = ? AND ts <= (
       SELECT ts FROM vote WHERE message_id = ? AND account_id = ? ORDER BY ts DESC LIMIT 1 OFFSET ?)`,
    message,
    voter,
    message,
    voter,
    clientLimits.votesPerVoterMax,
  )
}

export function takeClose(core: Core, database: Database, { chat, sender, ts, body }: SaidOf<'close'>): void {
  const asked = lookUpPoll(database, chat.id, body.target)
  if (!asked || asked.row.sender !== sender || (asked.poll.closed_ts ?? Infinity) <= ts) return
  database.run('UPDATE poll SET closed_ts = ? WHERE message_id = ?', ts, body.target)
  if (asked.poll.closed) return
  // Behind one's own closing there may be votes that the relay took before it, and that were not read yet: a chore tells it.
  if (sender === core.own.id) return core.poke()
  database.run('UPDATE poll SET closed = 1 WHERE message_id = ?', body.target)
  tellPoll(core, database, { row: asked.row, ts })
}

/** Of those whose time is still to come; the others are closed by a chore. */
export const nextPollCloseTs = (core: Core): number | undefined =>
  core.store.get<{ ts: number | null }>(
    'SELECT min(close_ts) AS ts FROM poll WHERE closed = 0 AND close_ts > ?',
    dueMs(core),
  )?.ts ?? undefined

/** Of those whose time has come, and which were not told as closed. */
export const lastDueCloseTs = (core: Core): number | undefined =>
  core.store.get<{ ts: number | null }>(
    'SELECT max(close_ts) AS ts FROM poll WHERE closed = 0 AND close_ts <= ?',
    dueMs(core),
  )?.ts ?? undefined

/** Those that were closed by oneself, and were not told as closed. */
export const closedHere = (core: Core): MessageId[] =>
  core.store
    .all<{ id: MessageId }>('SELECT message_id AS id FROM poll WHERE closed = 0 AND closed_ts IS NOT NULL')
    .map(({ id }) => id)

/** Those whose time came no later than that, and those that were closed here: whoever calls has read every vote that counts. */
export async function closePolls(
  core: Core,
  { untilTs, closed }: { untilTs: number; closed: MessageId[] },
): Promise<void> {
  for (let count: number = clientLimits.expirePerTurnMax; count === clientLimits.expirePerTurnMax; )
    count = await core.store.write(database => {
      const ended = database.all<MessageRow & { end_ts: number }>(
        `SELECT message.*, coalesce(poll.closed_ts, poll.close_ts) AS end_ts
         FROM poll JOIN message ON message.id = poll.message_id
         WHERE poll.closed = 0 AND (poll.close_ts <= ? OR poll.message_id IN (SELECT value FROM json_each(?)))
         ORDER BY end_ts LIMIT ?`,
        untilTs,
        JSON.stringify(closed),
        clientLimits.expirePerTurnMax,
      )
      for (const row of ended) {
        database.run('UPDATE poll SET closed = 1 WHERE message_id = ?', row.id)
        tellPoll(core, database, { row, ts: row.end_ts })
      }
      return ended.length
    })
}

function tellPoll(core: Core, database: Database, { row, ts }: { row: MessageRow; ts: number }): void {
  const chat = findChat(database, row.chat_id)
  if (chat) tellAbout(core, database, { chat, type: 'poll', message: row.id, by: undefined, ts })
}

/** Throws unless the poll is open and has these options. */
export function assertVote(core: Core, chat: ChatId, vote: { message: MessageId; options: number[] }): void {
  const asked = findPollMessage(core, chat, vote.message)
  assertOpen(core, asked)
  const { body } = asked
  if (isVote(body, vote.options)) return
  const last = body.options.length - 1
  const rule = body.multiple
    ? `indexes from 0 to ${last}, each once, are allowed`
    : `one index from 0 to ${last}, or none, is allowed`
  throw new CodedError('bad-field', { field: 'options', rule })
}

export function assertClosable(core: Core, chat: ChatId, message: MessageId): void {
  const asked = findPollMessage(core, chat, message)
  if (asked.row.sender !== core.own.id) throw new CodedError('not-own-poll')
  assertOpen(core, asked)
}

/** After a vote: the relay may have taken it when the poll was over. */
export function assertCounted(core: Core, message: MessageId): void {
  const last = core.store.get<{ ts: number | null }>(
    'SELECT max(ts) AS ts FROM vote WHERE message_id = ? AND account_id = ?',
    message,
    core.own.id,
  )
  if ((last?.ts ?? 0) >= endTs(findPoll(core.store, message))) throw new CodedError('poll-closed')
}

function findPollMessage(core: Core, chat: ChatId, message: MessageId): PollMessage {
  findMessage(core.store, visibleChat(core.store, chat).id, message)
  const asked = lookUpPoll(core.store, chat, message)
  if (!asked) throw new CodedError('not-a-poll')
  return asked
}

function assertOpen(core: Core, { poll }: PollMessage): void {
  if (poll.closed || dueMs(core) >= endTs(poll)) throw new CodedError('poll-closed')
}

function lookUpPoll(reads: Pick<Database, 'get'>, chat: ChatId, message: MessageId): PollMessage | undefined {
  const row = lookUpMessage(reads, chat, message)
  const poll = findPoll(reads, message)
  const body = row && bodyOf(row)
  return row && poll && body?.kind === 'poll' ? { row, body, poll } : undefined
}

const isVote = (poll: PollBody, options: number[]): boolean =>
  (poll.multiple || options.length <= 1) &&
  new Set(options).size === options.length &&
  options.every(option => Number.isInteger(option) && option >= 0 && option < poll.options.length)
