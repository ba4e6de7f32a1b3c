// Finds the messages of a chat by their content: files of a kind, and texts with links. Each has an index.
import type { ChatId } from '@postern/protocol'
import type { FileBody } from '@postern/protocol/content'
import type { Store } from '../storage/transactions/store.ts'
import type { ShownMessage } from './messages.ts'

/** Files of these kinds, or `links`: texts and captions that may contain an address. */
export type MediaKinds = readonly FileBody['shownAs'][] | 'links'

/** Messages before a time, not older than another, or on both sides of a time, including the message there. */
export type MediaPlace = { beforeTs?: number; fromTs?: number } | { aroundTs: number }

export type MediaSearch = { kinds: MediaKinds; limit: number } & MediaPlace

type Reads = Pick<Store, 'all'>
type Span = { chat: ChatId; fromTs: number; beforeTs: number; limit: number; order: 'DESC' | 'ASC' }

const COLUMNS = 'id, chat_id, sender, ts, body, edited_ts, expires_ts'

/** Newest first. Around a time, at most `limit` on each side. */
export function mediaIn(reads: Reads, chat: ChatId, { kinds, limit, ...place }: MediaSearch): ShownMessage[] {
  const read = (span: Omit<Span, 'chat' | 'limit'>) => readSpan(reads, kinds, { chat, limit, ...span })
  if ('aroundTs' in place) {
    const after = place.aroundTs + 1
    const newer = read({ fromTs: after, beforeTs: Number.MAX_SAFE_INTEGER, order: 'ASC' })
    return [...newer.reverse(), ...read({ fromTs: 0, beforeTs: after, order: 'DESC' })]
  }
  const { fromTs = 0, beforeTs = Number.MAX_SAFE_INTEGER } = place
  return read({ fromTs, beforeTs, order: 'DESC' })
}

function readSpan(reads: Reads, kinds: MediaKinds, span: Span): ShownMessage[] {
  if (kinds === 'links') return rowsOf(reads, span, { test: LINKS, values: [] })
  const sign = span.order === 'DESC' ? -1 : 1
  // One query for each kind: only then the rows come from the index in their order, and the rest is not read.
  return kinds
    .flatMap(kind => rowsOf(reads, span, { test: FILES, values: [kind] }))
    .sort((one, other) => sign * (one.ts - other.ts))
    .slice(0, span.limit)
}

// As in the indexes, word for word: otherwise SQLite reads every message.
const FILES = `json_extract(body, '$.kind') = 'file' AND json_extract(body, '$.shownAs') = ?`
const LINKS = `(instr(body, '://') > 0 OR instr(lower(body), 'www.') > 0)`

type Condition = { test: string; values: string[] }

const rowsOf = (reads: Reads, { chat, fromTs, beforeTs, limit, order }: Span, { test, values }: Condition) =>
  reads.all<ShownMessage>(
    `SELECT ${COLUMNS} FROM message WHERE chat_id = ? AND ${test} AND ts >= ? AND ts < ?
     ORDER BY ts ${order} LIMIT 0 + ?`,
    chat,
    ...values,
    fromTs,
    beforeTs,
    limit,
  )
