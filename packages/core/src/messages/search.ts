// Finds messages by their text, regardless of case. It keeps no index that could outlive a message.
import { assertKept, type ChatId, charsFault, clientLimits } from '@postern/protocol'
import type { Store } from '../storage/transactions/store.ts'
import { type Body, bodyOf, type MessageRow, type ShownMessage } from './messages.ts'

export type MessageSearch = { text: string; chat?: ChatId; beforeTs?: number; limit: number }

type Reads = Pick<Store, 'get' | 'all'>
type Found = ShownMessage & Pick<MessageRow, 'row'>
type From = Pick<Found, 'ts' | 'row'>

const COLUMNS = 'row, id, chat_id, sender, ts, body, edited_ts, expires_ts'

/**
 * Newest first: in one chat, or in all that are or were in use. SQLite skips rows that cannot match; the text itself is
 * compared here. Messages with the same time come together, so a caller that continues before the last time misses
 * none.
 */
export function searchMessages(reads: Reads, { text, chat, beforeTs, limit }: MessageSearch): ShownMessage[] {
  assertKept('text', charsFault(text, { min: 0, max: clientLimits.searchCharsMax }))
  const wanted = foldCase(text.trim())
  if (wanted === '') return []
  const filters = filtersOf(text.trim())
  const found: Found[] = []
  const isEnough = (ts: number) => found.length >= limit && found.at(-1)?.ts !== ts
  let from: From = { ts: beforeTs ?? Number.MAX_SAFE_INTEGER, row: 0 }
  for (;;) {
    const candidates = candidatesBefore(reads, from, { chat, filters })
    for (const row of candidates) {
      if (isEnough(row.ts)) return found
      if (wordsOf(bodyOf(row)).some(words => foldCase(words).includes(wanted))) found.push(row)
    }
    const last = candidates.at(-1)
    if (!last || candidates.length < clientLimits.searchRowsPerTurn) return found
    from = last
  }
}

type Candidates = { chat: ChatId | undefined; filters: Filter[] }

function candidatesBefore(reads: Reads, { ts, row }: From, { chat, filters }: Candidates): Found[] {
  const may = filters.map(({ test }) => test).join(' OR ')
  const among = `(ts, row) < (?, ?) AND (${may}) ORDER BY ts DESC, row DESC LIMIT 0 + ?`
  const values = [ts, row, ...filters.map(({ pattern }) => pattern), clientLimits.searchRowsPerTurn]
  if (chat) return reads.all<Found>(`SELECT ${COLUMNS} FROM message WHERE chat_id = ? AND ${among}`, chat, ...values)
  return reads.all<Found>(
    `SELECT ${COLUMNS} FROM message INDEXED BY message_ts
     WHERE +chat_id IN (SELECT id FROM chat WHERE visible = 1 AND state IN ('active', 'left')) AND ${among}`,
    ...values,
  )
}

/** The text of a message that people read, for the kinds that have text. */
function wordsOf(body: Body): string[] {
  if (body.kind === 'text') return [body.text]
  if (body.kind === 'file') return [body.text ?? '', body.name]
  if (body.kind === 'poll') return [body.question, ...body.options]
  return []
}

/** At the end of a word, `toLowerCase` makes another sigma of it. */
const foldCase = (text: string): string => text.normalize('NFC').toUpperCase().toLowerCase().replaceAll('ς', 'σ')

/** A condition that the stored body of every match fulfils. */
type Filter = { test: 'body LIKE ?' | 'body GLOB ?'; pattern: string }

/**
 * LIKE is the fastest, but folds the case of ASCII alone, and a function of ours would not run in every SQLite.
 * Otherwise each character becomes the set of its cases. Both composed and decomposed, because file names come in
 * either form.
 */
function filtersOf(text: string): Filter[] {
  const forms = [...new Set([text.normalize('NFC'), text.normalize('NFD')])]
  return forms.map(form => {
    const stored = JSON.stringify(form).slice(1, -1)
    if (/^[ -~]+$/.test(stored) && !/[%_]/.test(stored)) return { test: 'body LIKE ?', pattern: `%${stored}%` }
    return { test: 'body GLOB ?', pattern: `*${Array.from(stored, signSet).join('')}*` }
  })
}

function signSet(sign: string): string {
  const cases = [sign, sign.toLowerCase(), sign.toUpperCase(), sign.toUpperCase().toLowerCase()]
  const single = new Set(cases.filter(one => Array.from(one).length === 1))
  if (single.has('Σ')) single.add('ς')
  // A character that becomes two in the other case, such as ß, matches any; the text is compared afterwards.
  if (single.size < new Set(cases).size) return '*'
  return single.size === 1 && !'*?['.includes(sign) ? sign : `[${[...single].join('')}]`
}
