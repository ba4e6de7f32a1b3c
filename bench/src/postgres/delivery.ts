// From the call of append at one relay until a follower at another has read it, woken by a notification.
import { join } from 'node:path'
import type { PostgresServer } from '@postern/testkit/postgres'
import { inTurn, percentile } from '../figures.ts'
import type { Child } from '../processes/child.ts'
import { inScratch } from '../scratch.ts'
import type { Row } from '../table.ts'
import { startStores } from './children.ts'
import type { Sent } from './store-process.ts'
import type { Talk } from './talks.ts'

const ROUNDS = 4
const TALKS = 16
const ONE_AT_A_TIME = 100
const steady = { count: 400, everyMs: 5 }

type Times = { oneMs: number[]; steadyMs: number[] }
/** The relay that sends, and the one that receives. */
type Way = { from: Child; to: Child }

export const deliveryRows = (server: PostgresServer): Promise<Row[]> =>
  inScratch(async directory => {
    const shared = { kind: 'postgres' as const, database: await server.createDatabase() }
    const stores = await startStores(shared, 2)
    const [sqlite] = await startStores({ kind: 'sqlite', directory: join(directory, 'sqlite') }, 1)
    const [one, other] = stores
    if (!one || !other || !sqlite) throw new RangeError('there are two, and one')
    const across: Way[] = [
      { from: one, to: other },
      { from: other, to: one },
    ]
    const alone: Way[] = [{ from: sqlite, to: sqlite }]
    for (const way of [...across, ...alone]) await setUp(way)
    const times = { across: noTimes(), alone: noTimes() }
    await inTurn(ROUNDS, [
      async () => {
        for (const way of across) await measure(way, times.across)
      },
      async () => {
        for (const way of alone) await measure(way, times.alone)
      },
    ])
    await Promise.all([one, other, sqlite].map(child => child.stop()))
    return rowsOf(times)
  })

const noTimes = (): Times => ({ oneMs: [], steadyMs: [] })

async function setUp({ from, to }: Way): Promise<void> {
  const talks = await from.ask<Talk[]>('fill', { members: 2, groups: TALKS })
  await from.ask('speak', talks)
  await to.ask(
    'follow',
    talks.map(({ listener }) => listener),
  )
}

async function measure(way: Way, { oneMs, steadyMs }: Times): Promise<void> {
  for (let at = 0; at < ONE_AT_A_TIME; at++) oneMs.push(await tookMs(way, await way.from.ask<Sent>('appendOne', at)))
  const sent = await way.from.ask<Sent[]>('appendSteadily', steady)
  steadyMs.push(...(await Promise.all(sent.map(each => tookMs(way, each)))))
}

const tookMs = async ({ to }: Way, sent: Sent): Promise<number> =>
  (await to.ask<number>('arrivedMs', sent)) - sent.sentMs

function rowsOf({ across, alone }: { across: Times; alone: Times }): Row[] {
  const loads = [
    ['one at a time', across.oneMs, alone.oneMs],
    [`${1000 / steady.everyMs} a second`, across.steadyMs, alone.steadyMs],
  ] as const
  return loads.flatMap(([name, ours, peers]) =>
    [0.5, 0.99].map(part => ({
      what: `delivery across relays p${part * 100}, ${name}`,
      ours: percentile(ours, part),
      unit: 'ms',
      peer: { what: 'SQLite, one relay', figure: percentile(peers, part), better: 'less' as const },
    })),
  )
}
