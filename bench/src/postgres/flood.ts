// A flood into groups of 1,000: how many references reach mailboxes in a second, and how long a pair of strangers waits meanwhile.
import { setTimeout as wait } from 'node:timers/promises'
import type { PostgresServer } from '@postern/testkit/postgres'
import { percentile } from '../figures.ts'
import type { Child } from '../processes/child.ts'
import type { Row } from '../table.ts'
import { startStores } from './children.ts'
import type { Sent } from './store-process.ts'
import type { Talk } from './talks.ts'

const MEMBERS = 1000
const GROUPS = 3
const PAIRS = 16
/** Until the outbox is as full as it gets. */
const FLOODED_AFTER_MS = 5000
const steady = { count: 300, everyMs: 50 }

export async function floodRows(server: PostgresServer): Promise<Row[]> {
  const database = await server.createDatabase()
  const [flooding, strangers] = await startStores({ kind: 'postgres', database }, 2)
  if (!flooding || !strangers) throw new RangeError('there are two')
  await flooding.ask('speak', await flooding.ask<Talk[]>('fill', { members: MEMBERS, groups: GROUPS }))
  const pairs = await strangers.ask<Talk[]>('fill', { members: 2, groups: PAIRS })
  await strangers.ask('speak', pairs)
  await strangers.ask(
    'follow',
    pairs.map(({ listener }) => listener),
  )
  await flooding.ask('beginSpeaking')
  await wait(FLOODED_AFTER_MS)
  const references = async (): Promise<number> =>
    Number(await server.sql('SELECT count(*) FROM mailbox', new URL(database).pathname.slice(1)))
  const [before, startedMs] = [await references(), performance.now()]
  const delaysMs = await delaysOf(strangers)
  const perSec = ((await references()) - before) / ((performance.now() - startedMs) / 1000)
  await flooding.ask('endSpeaking')
  await Promise.all([flooding, strangers].map(child => child.stop()))
  await server.dropDatabase(database)
  return [
    { what: `references into mailboxes, flood into groups of ${MEMBERS}`, ours: perSec, unit: '/s' },
    { what: 'a pair of strangers meanwhile, p50', ours: percentile(delaysMs, 0.5), unit: 'ms' },
    { what: 'a pair of strangers meanwhile, longest', ours: Math.max(...delaysMs), unit: 'ms' },
  ]
}

/** From the call of append until the listener has read it. */
async function delaysOf(strangers: Child): Promise<number[]> {
  const sent = await strangers.ask<Sent[]>('appendSteadily', steady)
  return await Promise.all(sent.map(async each => (await strangers.ask<number>('arrivedMs', each)) - each.sentMs))
}
