// Entries of a relay's groups, written into its database faster than clients could send them.
import type { AccountId } from '@postern/protocol'

type Sql = (text: string) => Promise<string>
type Place = { account: AccountId; after: number }

const PAYLOAD_BYTES = 200
const ENTRIES_PER_STATEMENT = 100_000

/** To all groups in turn, from their creators: each is in the mailboxes of the others. */
export async function fillLog(sql: Sql, entries: number): Promise<void> {
  for (let done = 0; done < entries; done += ENTRIES_PER_STATEMENT)
    await sql(insertSome(Math.min(ENTRIES_PER_STATEMENT, entries - done)))
  await sql('VACUUM ANALYZE')
}

const insertSome = (count: number): string => `
  BEGIN;
  CREATE TEMP TABLE talk AS SELECT num, creator, seq, row_number() OVER (ORDER BY num) - 1 AS at FROM group_state;
  CREATE TEMP TABLE before AS SELECT pos FROM head;
  WITH said AS (
      SELECT n, talk.num, talk.creator, talk.seq + 1 + n / (SELECT count(*) FROM talk) AS seq
      FROM generate_series(0, ${count} - 1) n JOIN talk ON talk.at = n % (SELECT count(*) FROM talk)),
    logged AS (
      INSERT INTO entry (chat_group, seq, kind, sender, ts, message, payload)
      SELECT num, seq, 1, creator, extract(epoch FROM now()) * 1000,
        substr(sha256(convert_to(num || ' ' || seq, 'UTF8')), 1, 20),
        decode(repeat('5a', ${PAYLOAD_BYTES}), 'hex')
      FROM said ORDER BY n RETURNING id, chat_group, sender),
    placed AS (SELECT *, (SELECT pos FROM before) + row_number() OVER (ORDER BY id) AS pos FROM logged),
    delivered AS (
      INSERT INTO mailbox (account, pos, entry)
      SELECT m.account, p.pos, p.id FROM placed p JOIN member m USING (chat_group) WHERE m.account <> p.sender)
    SELECT count(*) FROM placed;
  UPDATE head SET pos = pos + ${count};
  SELECT count(move_log_end(num, seq, seq + added, (extract(epoch FROM now()) * 1000)::bigint))
    FROM (SELECT num, seq, count(*) AS added
          FROM talk JOIN generate_series(0, ${count} - 1) n ON talk.at = n % (SELECT count(*) FROM talk)
          GROUP BY num, seq) ends;
  DROP TABLE talk, before;
  COMMIT;`

/** Positions to read mailboxes from: at random rows, and before the newest row of each. */
export async function placesIn(sql: Sql, count: number): Promise<{ anywhere: Place[]; newest: Place[] }> {
  const some = await sql(`
    SELECT id, after FROM (
      SELECT a.id, m.pos - 1 AS after, row_number() OVER (PARTITION BY m.account ORDER BY m.pos DESC) AS remaining
      FROM mailbox m JOIN account a ON a.num = m.account) rows
    WHERE remaining >= 20 ORDER BY random() LIMIT ${count}`)
  const last = await sql(
    'SELECT a.id, max(m.pos) - 1 FROM mailbox m JOIN account a ON a.num = m.account GROUP BY a.id HAVING count(*) > 10',
  )
  return { anywhere: placesOf(some), newest: placesOf(last) }
}

const placesOf = (lines: string): Place[] =>
  lines
    .split('\n')
    .filter(Boolean)
    .map(line => {
      const [account, after] = line.split('|')
      return { account: account as AccountId, after: Number(after) }
    })
