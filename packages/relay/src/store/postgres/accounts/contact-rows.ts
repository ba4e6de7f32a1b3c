// Contacts on PostgreSQL: people who can be added without counting as new, and the number of new people met today.
import type { RelayLimits } from '../../../limits/relay-limits.ts'
import { dayOf, newPeopleRefusal, ofToday } from '../../rules/day-limits.ts'
import type { Queries } from '../connection/queries.ts'

type Asked = { account: number; people: readonly number[]; nowMs: number }

/** Returns those of `people` whom the account does not know; throws if they are too many for today. Writes nothing. */
export async function strangersAmong(
  tx: Queries,
  limits: RelayLimits,
  { account, people, nowMs }: Asked,
): Promise<number[]> {
  if (people.length === 0) return []
  const known = await tx.rows<{ peer: number }>(
    'SELECT peer FROM contact WHERE account = $1 AND peer = ANY ($2::integer[])',
    [account, people],
  )
  const knows = new Set(known.map(({ peer }) => peer))
  const unknown = people.filter(peer => !knows.has(peer))
  if (unknown.length === 0) return unknown
  const day = dayOf(nowMs)
  // Locked: another relay may count for the same account.
  const met = await tx.one<{ day: number; count: number }>(
    'SELECT people_day AS day, people_count AS count FROM account WHERE num = $1 FOR NO KEY UPDATE',
    [account],
  )
  const refusal = newPeopleRefusal(limits, { met: ofToday(met, day)?.count ?? 0, more: unknown.length }, day)
  if (refusal) throw refusal
  return unknown
}

/** Counts them; from now on the account knows them. */
export async function countMet(
  tx: Queries,
  { account, count, nowMs }: { account: number; count: number; nowMs: number },
): Promise<void> {
  if (count === 0) return
  await tx.run(
    `UPDATE account SET people_day = $2, people_count = $3 + CASE WHEN people_day = $2 THEN people_count ELSE 0 END
     WHERE num = $1`,
    [account, dayOf(nowMs), count],
  )
}
