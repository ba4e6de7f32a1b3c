// Another checkout of this project compared with this one: the same loads in turns, and how many times better each figure is.
import { Agent } from 'node:http'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Ring, startRing, stopRing } from '../echo/ring.ts'
import { type Load, type Role, Side } from '../echo/side.ts'
import { inTurn, median, percentile, ratePerSec } from '../figures.ts'
import { inScratch } from '../scratch.ts'
import { post } from '../sends/post.ts'
import type { Row } from '../table.ts'

const PEOPLE = 10
const ROUNDS = 5
const AWAY = 4

const warmUp: Load = { name: 'warm-up', people: PEOPLE, atOnceEach: 10, count: 1000 }
const sequence: Load = { name: 'one at a time', people: 1, atOnceEach: 1, count: 100 }
const floods: Load[] = [
  { name: '10 people × 10 at once', people: 10, atOnceEach: 10, count: 1500 },
  { name: '1 person × 100 at once', people: 1, atOnceEach: 100, count: 1500 },
]
/** Connections, the number of sends per round, and the ratio that we want. */
const sends = [
  { atOnce: 1, count: 200, wanted: 1.5 },
  { atOnce: 8, count: 1000, wanted: 1.8 },
  { atOnce: 32, count: 2000, wanted: 2 },
]

type Checkout = { echo: Side; sending: Ring; chats: string[] }
type Both = { ours: Checkout; other: Checkout }

export const measureBeside = (directory: string): Promise<Row[]> =>
  inScratch(async scratch => {
    const both: Both = {
      ours: await begin(join(scratch, 'ours')),
      other: await begin(join(scratch, 'other'), { processes: processesOf(directory) }),
    }
    const rows = [...(await echoRows(both)), ...(await sendRows(both))]
    for (const { echo, sending } of Object.values(both)) {
      await stopRing(echo.ring)
      await stopRing(sending)
    }
    return rows
  })

/** Relative to the directory of the command. */
const processesOf = (directory: string): URL =>
  pathToFileURL(`${join(resolve(process.env['INIT_CWD'] ?? '', directory), 'bench/src/processes')}/`)

async function begin(directory: string, from: { processes?: URL } = {}): Promise<Checkout> {
  const sending = await startRing(join(directory, 'sends'), { people: AWAY, ...from })
  const chats = sending.people.map(person => person.state.chat)
  await Promise.all([sending.bot, ...sending.people].map(child => child.stop()))
  return { echo: new Side(await startRing(join(directory, 'echo'), { people: PEOPLE, ...from })), sending, chats }
}

async function echoRows({ ours, other }: Both): Promise<Row[]> {
  const run = (load: Load, rounds: number) =>
    inTurn(
      rounds,
      [ours, other].map(
        ({ echo }) =>
          () =>
            echo.run(load),
      ),
    )
  await run(warmUp, 1)
  for (const load of [sequence, ...floods]) await run(load, ROUNDS)
  const times = [0.5, 0.95].map(part =>
    beside({ what: `echo p${part * 100}, ${sequence.name}`, unit: 'ms', better: 'less' }, ({ echo }) =>
      percentile(echo.timesMs(sequence), part),
    ),
  )
  const rates = floods.map(load =>
    beside({ what: `echoes, ${load.name}`, unit: '/s', better: 'more' }, ({ echo }) => echo.ratePerSec(load)),
  )
  const cpu = [sequence, ...floods].flatMap(load =>
    (['people', 'relay', 'gateway'] satisfies Role[]).map(role =>
      beside(
        { what: `CPU of ${role}, ${load.name}`, unit: 'ms/echo', better: 'less' },
        ({ echo }) => echo.cpuMs(load)[role],
      ),
    ),
  )
  return [...times, ...rates, ...cpu].map(row => row({ ours, other }))
}

async function sendRows({ ours, other }: Both): Promise<Row[]> {
  const rows: Row[] = []
  for (const { atOnce, count, wanted } of sends) {
    const agent = new Agent({ keepAlive: true, maxSockets: atOnce })
    const rates = new Map<Checkout, number[]>([
      [ours, []],
      [other, []],
    ])
    const round = async (checkout: Checkout) => {
      const target = { ...checkout.sending.api, chats: checkout.chats, agent }
      return await ratePerSec(at => post(target, at), { atOnce, count })
    }
    for (const checkout of rates.keys()) await round(checkout)
    await inTurn(
      ROUNDS,
      [...rates].map(
        ([checkout, measured]) =>
          async () =>
            void measured.push(await round(checkout)),
      ),
    )
    agent.destroy()
    const what = `sends of a gateway, ${atOnce} connection${atOnce === 1 ? '' : 's'}`
    const row = beside({ what, unit: '/s', better: 'more' }, checkout => median(rates.get(checkout) ?? []))
    rows.push({ ...row({ ours, other }), goal: { ratio: wanted } })
  }
  return rows
}

type Figure = { what: string; unit: string; better: 'more' | 'less' }

const beside =
  ({ what, unit, better }: Figure, of: (checkout: Checkout) => number) =>
  ({ ours, other }: Both): Row => ({
    what,
    ours: of(ours),
    unit,
    peer: { what: 'the other checkout', figure: of(other), better },
  })
