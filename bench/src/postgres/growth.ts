// Whether the speed stays constant while the log grows: databases of increasing size, measured in turns.
import type { PostgresServer } from '@postern/testkit/postgres'
import { inTurn, median } from '../figures.ts'
import type { Child } from '../processes/child.ts'
import type { Row } from '../table.ts'
import type { Appended } from './appending.ts'
import { totalPerSec } from './appending.ts'
import { startStores } from './children.ts'
import { fillLog, placesIn } from './fill-log.ts'
import type { Read, Reading } from './read-pages.ts'
import type { Talk } from './talks.ts'

const ROUNDS = 3
const GROUPS = 50
const READS = 200
const PAGE = 20
const load = { inFlight: 64, forMs: 1000 }

type Figures = { appendsPerSec: number[]; pageMs: number[]; newestMs: number[] }
type Filled = { entries: number; store: Child; anywhere: Reading; newest: Reading; figures: Figures }

/** From a thousand, ten times as many each, to a million; BENCH_ENTRIES sets another end. */
function entryCounts(): number[] {
  const counts = [1000]
  const most = Number(process.env['BENCH_ENTRIES'] ?? 1e6)
  while ((counts.at(-1) ?? most) < most) counts.push((counts.at(-1) ?? 0) * 10)
  return counts
}

export async function growthRows(server: PostgresServer): Promise<Row[]> {
  const all: Filled[] = []
  for (const entries of entryCounts()) all.push(await openFilled(server, entries))
  await inTurn(
    ROUNDS,
    all.map(filled => () => measure(filled)),
  )
  await Promise.all(all.map(({ store }) => store.stop()))
  const [least, ...larger] = all
  return least ? larger.flatMap(one => rowsOf(one, least)) : []
}

/** Without caches: those of the smallest would hold everything. */
async function openFilled(server: PostgresServer, entries: number): Promise<Filled> {
  const database = await server.createDatabase()
  const [store] = await startStores({ kind: 'postgres', database }, 1, { recentEntriesBytesMax: 0 })
  if (!store) throw new RangeError('there is one')
  const talks = await store.ask<Talk[]>('fill', { members: 2, groups: GROUPS })
  await store.ask('speak', talks)
  const name = new URL(database).pathname.slice(1)
  await fillLog(text => server.sql(text, name), entries)
  const places = await placesIn(text => server.sql(text, name), READS)
  const one = { entriesMax: PAGE, pages: 'one' as const }
  const anywhere = { ...one, of: places.anywhere }
  const newest = { ...one, of: places.newest }
  return { entries, store, anywhere, newest, figures: { appendsPerSec: [], pageMs: [], newestMs: [] } }
}

async function measure({ store, anywhere, newest, figures }: Filled): Promise<void> {
  figures.pageMs.push(...(await store.ask<Read>('read', anywhere)).pageMs)
  figures.newestMs.push(...(await store.ask<Read>('read', newest)).pageMs)
  figures.appendsPerSec.push(totalPerSec([await store.ask<Appended>('append', load)]))
  await store.ask('inMailboxes')
}

function rowsOf({ entries, figures }: Filled, { entries: fewest, figures: least }: Filled): Row[] {
  const row = (what: string, of: keyof Figures): Row => {
    const [unit, better] = of === 'appendsPerSec' ? (['/s', 'more'] as const) : (['ms', 'less'] as const)
    const peer = { what: `${fewest} stored`, figure: median(least[of]), better }
    return { what: `${what}, 10^${Math.log10(entries)} entries stored`, ours: median(figures[of]), unit, peer }
  }
  return [
    row(`appends on PostgreSQL, pairs, ${load.inFlight} in flight`, 'appendsPerSec'),
    row(`page of ${PAGE} from anywhere p50`, 'pageMs'),
    row('newest of a mailbox read p50', 'newestMs'),
  ]
}
