// The echo: person → relay → gateway → long poll → bot → POST → relay → person, durable at every step.
import { join } from 'node:path'
import { inTurn, percentile } from '../figures.ts'
import { inScratch } from '../scratch.ts'
import type { Row } from '../table.ts'
import { bundledStartRows } from './bundled-starts.ts'
import { type RingUsage, startBareRing, startRing, stopRing, usageOf } from './ring.ts'
import { type Load, type Role, Side } from './side.ts'
import { startRows } from './starts.ts'

const PEOPLE = 10
const SEQUENCE_ROUNDS = 5
const FLOOD_ROUNDS = 3

const warmUp: Load = { name: 'warm-up', people: PEOPLE, atOnceEach: 10, count: 1000 }
const sequence: Load = { name: 'one at a time', people: 1, atOnceEach: 1, count: 100 }
const manyPeople: Load = { name: '10 people × 10 at once', people: 10, atOnceEach: 10, count: 1500 }
const onePerson: Load = { name: '1 person × 100 at once', people: 1, atOnceEach: 100, count: 1500 }

const SYNCED = 'same hops, synced file'
const BARE = 'same hops, no disk'

type Sides = { ours: Side; synced: Side; bare: Side }
type Memory = { idle: RingUsage; loaded: RingUsage }

export const measureEcho = (): Promise<Row[]> =>
  inScratch(async directory => {
    const people = { people: PEOPLE }
    const sides: Sides = {
      ours: new Side(await startRing(join(directory, 'ours'), people)),
      synced: new Side(await startBareRing(join(directory, 'synced'), people)),
      bare: new Side(await startBareRing(undefined, people)),
    }
    const idle = await usageOf(sides.ours.ring)
    const all = Object.values(sides)
    await inTurn(
      1,
      all.map(side => () => side.run(warmUp)),
    )
    await inTurn(
      SEQUENCE_ROUNDS,
      all.map(side => () => side.run(sequence)),
    )
    for (const load of [manyPeople, onePerson])
      await inTurn(
        FLOOD_ROUNDS,
        all.map(side => () => side.run(load)),
      )
    const loaded = await usageOf(sides.ours.ring)
    const rows = [...timeRows(sides), ...rateRows(sides), ...cpuRows(sides), ...memoryRows({ idle, loaded })]
    rows.push(...(await startRows(sides)))
    await Promise.all(all.map(side => stopRing(side.ring)))
    return [...rows, ...(await bundledStartRows(join(directory, 'bundled')))]
  })

const timeRows = (sides: Sides): Row[] =>
  [0.5, 0.95].flatMap(part =>
    against(sides, { what: `echo p${part * 100}, ${sequence.name}`, unit: 'ms', better: 'less' }, side =>
      percentile(side.timesMs(sequence), part),
    ),
  )

const rateRows = (sides: Sides): Row[] =>
  [sequence, manyPeople, onePerson].flatMap(load =>
    against(sides, { what: `echoes, ${load.name}`, unit: '/s', better: 'more' }, side => side.ratePerSec(load)),
  )

const cpuRows = ({ ours, synced }: Sides): Row[] =>
  [sequence, manyPeople, onePerson].flatMap(load =>
    (['people', 'relay', 'gateway', 'bot'] satisfies Role[]).map(role => ({
      what: `CPU of ${role}, ${load.name}`,
      ours: ours.cpuMs(load)[role],
      unit: 'ms/echo',
      peer: { what: SYNCED, figure: synced.cpuMs(load)[role], better: 'less' as const },
    })),
  )

const memoryRows = ({ idle, loaded }: Memory): Row[] =>
  (['relay', 'gateway'] as const).flatMap(role => [
    { what: `RSS of ${role}, idle`, ours: idle[role].rssMib, unit: 'MiB' },
    { what: `RSS of ${role}, after load`, ours: loaded[role].rssMib, unit: 'MiB' },
  ])

type Figure = { what: string; unit: string; better: 'more' | 'less' }

function against({ ours, synced, bare }: Sides, figure: Figure, of: (side: Side) => number): Row[] {
  const { what, unit, better } = figure
  return [
    { what, ours: of(ours), unit, peer: { what: SYNCED, figure: of(synced), better } },
    { what, ours: of(ours), unit, peer: { what: BARE, figure: of(bare), better } },
  ]
}
