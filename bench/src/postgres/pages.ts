// Mailboxes read in pages by a relay that has just started, and by one that has read them before.
import { join } from 'node:path'
import type { PostgresServer } from '@postern/testkit/postgres'
import { inTurn, median } from '../figures.ts'
import { inScratch } from '../scratch.ts'
import type { Row } from '../table.ts'
import type { Appended } from './appending.ts'
import { startStores } from './children.ts'
import type { Read } from './read-pages.ts'
import type { StorePlace } from './store-process.ts'
import type { Talk } from './talks.ts'

const ROUNDS = 5
const GROUPS = 4
const ENTRIES_MIN = 4000
const PAGE = 200

type Rates = { cold: number[]; again: number[] }

export const pageRows = (server: PostgresServer): Promise<Row[]> =>
  inScratch(async directory => {
    const shared = { kind: 'postgres' as const, database: await server.createDatabase() }
    const file = { kind: 'sqlite' as const, directory: join(directory, 'sqlite') }
    const filled = { shared: await fill(shared), file: await fill(file) }
    const rates = { shared: noRates(), file: noRates() }
    await inTurn(ROUNDS, [
      () => measure(shared, { talks: filled.shared, into: rates.shared }),
      () => measure(file, { talks: filled.file, into: rates.file }),
    ])
    const row = (which: keyof Rates, what: string): Row => ({
      what: `entries read in pages, ${what}`,
      ours: median(rates.shared[which]),
      unit: '/s',
      peer: { what: 'SQLite', figure: median(rates.file[which]), better: 'more' },
    })
    return [row('cold', 'by a relay that has just started'), row('again', 'which it has read before')]
  })

const noRates = (): Rates => ({ cold: [], again: [] })

async function fill(place: StorePlace): Promise<Talk[]> {
  const [store] = await startStores(place, 1)
  if (!store) throw new RangeError('there is one')
  const talks = await store.ask<Talk[]>('fill', { members: 2, groups: GROUPS })
  await store.ask('speak', talks)
  for (let entries = 0; entries < ENTRIES_MIN; )
    entries += (await store.ask<Appended>('append', { inFlight: 64, forMs: 300 })).count
  await store.stop()
  return talks
}

async function measure(place: StorePlace, { talks, into }: { talks: Talk[]; into: Rates }): Promise<void> {
  const [store] = await startStores(place, 1)
  const reading = { of: talks.map(({ listener }) => ({ account: listener, after: 0 })), entriesMax: PAGE, pages: 'all' }
  for (const rates of [into.cold, into.again]) {
    const read = await store?.ask<Read>('read', reading)
    if (read) rates.push((read.entries * 1000) / read.tookMs)
  }
  await store?.stop()
}
