// How long appends fail when the database's primary dies and a standby replaces it; and that nothing is lost.
import { setTimeout as wait } from 'node:timers/promises'
import { findPostgres, POSTGRES_MISSING } from '@postern/testkit/postgres'
import { PostgresCluster } from '@postern/testkit/postgres-cluster'
import { median } from '../figures.ts'
import type { Child } from '../processes/child.ts'
import type { Row } from '../table.ts'
import { startStores } from './children.ts'
import type { Spoken } from './speaker.ts'
import type { Talk } from './talks.ts'

const ROUNDS = 3
const RELAYS = 2
const GROUPS = 8
const BEFORE_MS = 3000
/** Longer than a relay needs to find the new primary. */
const AFTER_MS = 12_000

type Pause = { quietMs: number; failedOverMs: number; promotedMs: number }

export async function measureFailover(): Promise<Row[]> {
  if (findPostgres() === undefined) {
    console.error(POSTGRES_MISSING)
    return []
  }
  const pauses: Pause[] = []
  for (let round = 0; round < ROUNDS; round++) pauses.push(await measureOnce())
  const of = (which: keyof Pause): number => median(pauses.map(pause => pause[which]))
  const peer = { what: 'without it', figure: of('quietMs'), better: 'less' as const }
  return [
    { what: 'longest pause of appends, two relays, failover', ours: of('failedOverMs'), unit: 'ms', peer },
    { what: 'of which until the standby takes writes', ours: of('promotedMs'), unit: 'ms' },
  ]
}

async function measureOnce(): Promise<Pause> {
  await using cluster = await PostgresCluster.start()
  const stores = await startStores({ kind: 'postgres', database: await cluster.createDatabase() }, RELAYS)
  const talks: Talk[][] = []
  for (const store of stores) talks.push(await setUp(store))
  await Promise.all(stores.map(store => store.ask('beginSpeaking')))
  await wait(BEFORE_MS)
  const quiet = await Promise.all(stores.map(store => store.ask<number>('longestPauseMs')))
  const killedMs = performance.now()
  await cluster.failOver()
  const promotedMs = performance.now() - killedMs
  await wait(AFTER_MS)
  const spoken = await Promise.all(stores.map(store => store.ask<Spoken>('endSpeaking')))
  for (const [at, store] of stores.entries()) await check(store, { talks: talks[at] ?? [], spoken: spoken[at] })
  await Promise.all(stores.map(store => store.stop()))
  const failedOverMs = Math.max(...spoken.map(({ longestPauseMs }) => longestPauseMs))
  return { quietMs: Math.max(...quiet), failedOverMs, promotedMs }
}

async function setUp(store: Child): Promise<Talk[]> {
  const talks = await store.ask<Talk[]>('fill', { members: 2, groups: GROUPS })
  await store.ask('speak', talks)
  return talks
}

/** Acknowledged entries are in the mailboxes, each once and in order. */
async function check(store: Child, { talks, spoken }: { talks: Talk[]; spoken: Spoken | undefined }): Promise<void> {
  for (const { group, listener } of talks) {
    const got = await store.ask<number[]>('seqsOf', { group, listener })
    const isRising = got.every((seq, at) => seq > (got[at - 1] ?? 0))
    const missing = (spoken?.acknowledged[group] ?? []).filter(seq => !got.includes(seq))
    if (missing.length > 0 || !isRising)
      throw new Error(`${missing.length} acknowledged entries are missing, in order: ${isRising}`)
  }
}
