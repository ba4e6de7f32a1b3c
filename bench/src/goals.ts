// Our goals for single figures, on two cores of a server: by the names of their rows.
import type { Goal, Row } from './table.ts'

const goals: Readonly<Record<string, Goal>> = {
  'MLS encrypt, 100 bytes, 2 members': { ratio: 0.9 },
  'MLS decrypt, 100 bytes, 2 members': { ratio: 0.9 },
  'sends of a gateway, 1 connection': { ratio: 0.6 },
  'sends of a gateway, 8 connections': { ratio: 0.6 },
  'sends of a gateway, 32 connections': { ratio: 0.6 },
  'echo p50, one at a time': { below: 4.5 },
  'echo p95, one at a time': { below: 7 },
  'echoes, 10 people × 10 at once': { above: 900 },
  'echoes, 1 person × 100 at once': { above: 1200 },
  'CPU of gateway, 1 person × 100 at once': { below: 0.6 },
  'gateway start to /healthz, bundled': { below: 300 },
  'RSS of gateway, idle, bundled': { below: 90 },
  'echoes of an SDK bot, one at a time': { ratio: 0.9 },
  'echoes of an SDK bot, 5 people × 10 at once': { ratio: 0.9 },
  'updates drained, 100 at a time': { ratio: 0.6 },
  'press to the result of ask_human beyond a plain update': { below: 50 },
  '1000 living groups that change every second: edits': { ratio: 0.7 },
  'sendMessage of the Telegram Bot API': { ratio: 0.8 },
  'updates drained by getUpdates, 100 at a time': { ratio: 0.8 },
  'webhook deliveries': { ratio: 0.7 },
  'GET /v1/chats, 10,000, p50': { below: 30 },
  'votes that waited, group of 200': { above: 1000 },
  'longest send beside a backup of the gateway': { below: 150 },
  'longest send beside a backup of the relay': { below: 150 },
  'an append on PostgreSQL beyond an fsync, pairs, 1 in flight': { below: 1 },
  'appends on PostgreSQL, pairs, 64 in flight, 1 relay': { ratio: 0.8 },
  'appends on PostgreSQL, pairs, 256 in flight, 1 relay': { ratio: 0.8 },
  'appends on PostgreSQL, 200 members, 8 in flight, 2 relays': { ratio: 1 },
  'appends on PostgreSQL, 200 members, 64 in flight, 2 relays': { ratio: 1 },
  'appends on PostgreSQL, 200 members, 256 in flight, 2 relays': { ratio: 1 },
  'logins on PostgreSQL, commits of 20 ms': { above: 2000 },
  'back within 120 s of 10000 clients that return at the same time, commits of 20 ms': { above: 0.9999 },
  'the first of 10000 clients that return at the same time, commits of 20 ms': { below: 1 },
  'the last of 10000 clients that return at the same time, commits of 20 ms': { below: 60 },
  'longest time between two logins of 10000 clients that return at the same time, commits of 20 ms': { below: 1000 },
  'delivery across relays p50, one at a time': { below: 10 },
  'delivery across relays p50, 200 a second': { below: 10 },
  'a pair of strangers meanwhile, longest': { below: 1000 },
  'server time of an append, many pairs, 16000 after a snapshot': { ratio: 0.9 },
  'server time of an append, one pair, 16000 after a snapshot': { ratio: 0.9 },
  'message to notification in Firefox, p50': { below: 500 },
  'app, 100,000 messages, longest frame while opening': { below: 100 },
  'app, 100,000 messages, longest frame while scrolling': { below: 100 },
  'app, link to the first field, 400 kbit/s, 400 ms, CPU 4 times slower': { below: 3000 },
  'app, link to the first field, 1600 kbit/s, 150 ms, CPU 4 times slower': { below: 3000 },
  'file of 300 MB, posted': { ratio: 0.5 },
  'file of 300 MB, downloaded first': { ratio: 0.6 },
}

/** Compared with the first peer alone, if a figure has several. */
export function withGoals(rows: readonly Row[]): Row[] {
  const met = new Set<string>()
  return rows.map(row => {
    const goal = goals[row.what]
    if (!goal || met.has(row.what)) return row
    met.add(row.what)
    return { ...row, goal }
  })
}

/** Goals without a row in a complete run: a row was renamed. */
export const goalsWithoutRow = (rows: readonly Row[]): string[] =>
  Object.keys(goals).filter(what => !rows.some(row => row.what === what))
