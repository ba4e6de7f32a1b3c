// Durable appends of one, two and three relays on one database, and the time until they are in the mailboxes.
import { join } from 'node:path'
import type { PostgresServer } from '@postern/testkit/postgres'
import { inTurn, median } from '../figures.ts'
import type { Child } from '../processes/child.ts'
import { inScratch } from '../scratch.ts'
import type { Row } from '../table.ts'
import { type Appended, type Load, totalPerSec } from './appending.ts'
import { startBareLog, startStores } from './children.ts'
import { fsyncMs } from './fsync.ts'
import type { Talk } from './talks.ts'

const ROUNDS = 3
const RELAYS_MAX = 3
const IN_FLIGHT = [1, 8, 64, 256]
const warmUp: Load = { inFlight: 8, forMs: 500 }

/** `groups`: of each relay. A larger group takes longer to reach the mailboxes: then fewer are appended. */
type Size = { name: string; members: number; groups: number; forMs: number }
const sizes: Size[] = [
  { name: 'pairs', members: 2, groups: 64, forMs: 1000 },
  { name: '20 members', members: 20, groups: 32, forMs: 1000 },
  { name: '200 members', members: 200, groups: 8, forMs: 600 },
]

/** One way to append, with the results of its rounds. */
type Side = { children: Child[]; perSec: number[]; inMailboxesPerSec: number[] }
type Sides = { relays: Side[]; sqlite: Side; bare: Side }

export async function appendRows(server: PostgresServer): Promise<Row[]> {
  const rows: Row[] = []
  for (const size of sizes) rows.push(...(await inScratch(directory => sizeRows({ server, directory }, size))))
  return rows
}

async function sizeRows({ server, directory }: { server: PostgresServer; directory: string }, size: Size) {
  const shared = { kind: 'postgres' as const, database: await server.createDatabase() }
  const stores = await startStores(shared, RELAYS_MAX)
  const sqlite = await startStores({ kind: 'sqlite', directory: join(directory, 'sqlite') }, 1)
  const bare = [await startBareLog(await server.createDatabase())]
  for (const store of [...stores, ...sqlite]) await fill(store, size)
  for (const child of [...stores, ...sqlite, ...bare]) await child.ask('append', warmUp)
  const rows: Row[] = []
  for (const inFlight of IN_FLIGHT) {
    const counts = stores.map((_, at) => at + 1).filter(relays => relays <= inFlight)
    const sides = {
      relays: counts.map(relays => sideOf(stores.slice(0, relays))),
      sqlite: sideOf(sqlite),
      bare: sideOf(bare),
    }
    await measure(sides, { inFlight, forMs: size.forMs })
    rows.push(...rowsOf(sides, { size, inFlight }))
    if (inFlight === 1) rows.push(await beyondFsync(sides, { size, directory }))
  }
  await Promise.all([...stores, ...sqlite, ...bare].map(child => child.stop()))
  await server.dropDatabase(shared.database)
  return rows
}

async function fill(store: Child, { members, groups }: Size): Promise<void> {
  await store.ask('speak', await store.ask<Talk[]>('fill', { members, groups }))
}

const sideOf = (children: Child[]): Side => ({ children, perSec: [], inMailboxesPerSec: [] })

async function measure({ relays, sqlite, bare }: Sides, load: Load): Promise<void> {
  await inTurn(
    ROUNDS,
    [...relays, sqlite, bare].map(side => () => measureSide(side, load)),
  )
}

async function measureSide({ children, perSec, inMailboxesPerSec }: Side, { inFlight, forMs }: Load): Promise<void> {
  const startedMs = performance.now()
  const loadOf = (at: number): Load => ({ inFlight: shareOf(inFlight, { at, of: children.length }), forMs })
  const appended = await Promise.all(children.map((child, at) => child.ask<Appended>('append', loadOf(at))))
  await Promise.all(children.map(child => child.ask('inMailboxes')))
  perSec.push(totalPerSec(appended))
  const count = appended.reduce((total, one) => total + one.count, 0)
  inMailboxesPerSec.push((count * 1000) / (performance.now() - startedMs))
}

/** An append needs one round trip and one fsync: the rest is ours. */
async function beyondFsync({ relays }: Sides, { size, directory }: { size: Size; directory: string }): Promise<Row> {
  const appendMs = 1000 / median(relays[0]?.perSec ?? [])
  const ours = appendMs - (await fsyncMs(directory))
  return { what: `an append on PostgreSQL beyond an fsync, ${size.name}, 1 in flight`, ours, unit: 'ms' }
}

/** The remainder goes to the first ones. */
const shareOf = (total: number, { at, of }: { at: number; of: number }): number =>
  Math.floor(total / of) + (at < total % of ? 1 : 0)

function rowsOf({ relays, sqlite, bare }: Sides, { size, inFlight }: { size: Size; inFlight: number }): Row[] {
  const beside = (what: string, side: Side) => ({ what, figure: median(side.perSec), better: 'more' as const })
  const rows = relays.flatMap(({ perSec, inMailboxesPerSec }, at) => {
    const where = `${size.name}, ${inFlight} in flight, ${relaysText(at + 1)}`
    const figure = { what: `appends on PostgreSQL, ${where}`, ours: median(perSec), unit: '/s' }
    const mailboxes = { what: 'SQLite', figure: median(sqlite.inMailboxesPerSec), better: 'more' as const }
    return [
      { ...figure, peer: beside('SQLite', sqlite) },
      ...(at === 0 ? [{ ...figure, peer: beside('bare INSERT', bare) }] : []),
      ...(size.members > 20
        ? [{ what: `until in the mailboxes, ${where}`, ours: median(inMailboxesPerSec), unit: '/s', peer: mailboxes }]
        : []),
    ]
  })
  return rows
}

const relaysText = (count: number): string => (count === 1 ? '1 relay' : `${count} relays`)
