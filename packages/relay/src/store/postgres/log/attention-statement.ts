// Adds the marks of a batch to the statement that writes its entries: they are stored together or not at all.
import type { Hints } from '../connection/hints.ts'
import { HINT_CHANNEL } from '../connection/hints.ts'
import type { LoggedEntry } from '../groups/logged-entry.ts'

export const hasAttention = (entries: readonly LoggedEntry[]): boolean =>
  entries.some(({ attention }) => attention !== undefined)

/** The numbers of the groups with such entries. */
export const groupsMarked = (entries: readonly LoggedEntry[]): Set<number> =>
  new Set(entries.flatMap(({ attention, group }) => (attention ? group.num : [])))

/** The last parameters of the statement. `n` counts the entries of the batch from 1, as the server does. */
export function attentionValues(entries: readonly LoggedEntry[], hints: Hints): unknown[] {
  const marks = entries.flatMap(({ attention, ts }, at) => (attention ? { ...attention, ts, n: at + 1 } : []))
  let next = 1
  const starts = marks.map(({ preview }) => {
    const start = next
    next += preview?.length ?? 0
    return start
  })
  return [
    marks.map(({ n }) => n),
    marks.map(({ ts }) => ts),
    marks.map(({ kind }) => kind === 'mention'),
    Buffer.concat(marks.map(({ preview }) => preview ?? new Uint8Array())),
    starts,
    marks.map(({ preview }) => preview?.length ?? -1),
    hints.marked(groupsMarked(entries)),
  ]
}

/**
 * Two parts of a WITH: `marked` stores, and `told`, which the statement has to read, notifies other relays. `id`: the
 * id of the n-th entry, in a row of `given` for which `is` holds. `first`: the number of the first parameter.
 */
export function insertAttention(first: number, { id, is }: { id: string; is: string }): string {
  const [n, ts, mentions, previews, starts, lengths, hint] = Array.from({ length: 7 }, (_, at) => `$${first + at}`)
  return `marked AS (INSERT INTO attention (entry, ts, is_mention, preview)
      SELECT ${id}, m.ts, m.is_mention, CASE WHEN m.length >= 0 THEN substr(${previews}::bytea, m.start, m.length) END
      FROM unnest(${n}::integer[], ${ts}::bigint[], ${mentions}::boolean[], ${starts}::integer[], ${lengths}::integer[])
        AS m (n, ts, is_mention, start, length), given WHERE ${is} RETURNING entry),
    told AS (SELECT count(pg_notify('${HINT_CHANNEL}', ${hint}::text)) FROM (SELECT 1 FROM marked LIMIT 1) one)`
}
