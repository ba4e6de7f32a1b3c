// An echo bot of the SDK beside the same bot as a bare loop, in turns on one gateway.
import { startRing, stopRing } from '../echo/ring.ts'
import { type Load, Side } from '../echo/side.ts'
import { inTurn, percentile } from '../figures.ts'
import { Child } from '../processes/child.ts'
import { inScratch } from '../scratch.ts'
import type { Row } from '../table.ts'

const PEOPLE = 5
const ROUNDS = 5

const warmUp: Load = { name: 'warm-up', people: PEOPLE, atOnceEach: 2, count: 100 }
const sequence: Load = { name: 'one at a time', people: 1, atOnceEach: 1, count: 100 }
const manyPeople: Load = { name: '5 people × 10 at once', people: PEOPLE, atOnceEach: 10, count: 500 }

const LOOP = 'bare loop of fetch'

export const measureSdk = (): Promise<Row[]> =>
  inScratch(async directory => {
    const ring = await startRing(directory, { people: PEOPLE })
    await ring.bot.stop()
    const sides = { ours: new Side({ ...ring }), loop: new Side({ ...ring }) }
    const turn = (side: Side, program: URL) => async () => {
      side.ring.bot = await Child.start(program, ring.api)
      for (const load of [warmUp, sequence, manyPeople]) await side.run(load)
      await side.ring.bot.stop()
    }
    const programs = {
      ours: new URL('./sdk-bot.ts', import.meta.url),
      loop: new URL('./bare-loop.ts', import.meta.url),
    }
    await inTurn(ROUNDS, [turn(sides.ours, programs.ours), turn(sides.loop, programs.loop)])
    const rows = [...rateRows(sides), ...timeRows(sides), ...cpuRows(sides)]
    await stopRing(ring)
    return rows
  })

type Sides = { ours: Side; loop: Side }

const rateRows = ({ ours, loop }: Sides): Row[] =>
  [sequence, manyPeople].map(load => ({
    what: `echoes of an SDK bot, ${load.name}`,
    ours: ours.ratePerSec(load),
    unit: '/s',
    peer: { what: LOOP, figure: loop.ratePerSec(load), better: 'more' },
  }))

const timeRows = ({ ours, loop }: Sides): Row[] => [
  {
    what: `echo p50 of an SDK bot, ${sequence.name}`,
    ours: percentile(ours.timesMs(sequence), 0.5),
    unit: 'ms',
    peer: { what: LOOP, figure: percentile(loop.timesMs(sequence), 0.5), better: 'less' },
  },
]

const cpuRows = ({ ours, loop }: Sides): Row[] =>
  [sequence, manyPeople].map(load => ({
    what: `CPU of an SDK bot, ${load.name}`,
    ours: ours.cpuMs(load).bot,
    unit: 'ms/echo',
    peer: { what: LOOP, figure: loop.cpuMs(load).bot, better: 'less' },
  }))
