// Presses of buttons compared with texts between the same people and bot: until the bot receives them, and until its
// answer is back.
import { join } from 'node:path'
import { type Ring, startRing, stopRing, usageOf } from '../echo/ring.ts'
import type { Load } from '../echo/side.ts'
import { inTurn, median, percentile } from '../figures.ts'
import { HttpApi } from '../http-api.ts'
import type { Trip } from '../processes/timed-trips.ts'
import { inScratch } from '../scratch.ts'
import type { Row } from '../table.ts'

const PEOPLE = 4
const DATA = 'yes'

const warmUp: Load = { name: 'warm-up', people: PEOPLE, atOnceEach: 25, count: 200 }
const sequence: Load = { name: 'one at a time', people: 1, atOnceEach: 1, count: 100 }
const manyPeople: Load = { name: '4 people × 25 at once', people: PEOPLE, atOnceEach: 25, count: 400 }
const onePerson: Load = { name: '1 person × 100 at once', people: 1, atOnceEach: 100, count: 400 }
const SEQUENCE_ROUNDS = 3
const FLOOD_ROUNDS = 2

type Kind = 'press' | 'text'
type Round = { trips: Trip[]; ratePerSec: number; gatewayCpuMs: number; relayCpuMs: number }
type Rounds = Record<Kind, Round[]>
type Scene = { ring: Ring; messages: string[] }

export const measurePresses = (): Promise<Row[]> =>
  inScratch(async directory => {
    const ring = await startRing(join(directory, 'ring'), { people: PEOPLE, told: 'toasts' })
    const scene = { ring, messages: await sendButtons(ring) }
    await measure(scene, warmUp, 1)
    const alone = await measure(scene, sequence, SEQUENCE_ROUNDS)
    const many = await measure(scene, manyPeople, FLOOD_ROUNDS)
    const one = await measure(scene, onePerson, FLOOD_ROUNDS)
    await stopRing(ring)
    return [
      ...timeRows({ what: 'press to its update', peer: 'text to its update' }, alone, trip => trip.toldMs),
      ...timeRows({ what: 'press to its toast', peer: 'text to its answer' }, alone, trip => trip.backMs),
      ...loadRows(manyPeople, many),
      ...loadRows(onePerson, one),
    ]
  })

async function sendButtons({ api: server, people }: Ring): Promise<string[]> {
  const api = new HttpApi(server)
  const body = {
    text: 'Shall we?',
    buttons: [
      [
        { text: 'Yes', data: DATA },
        { text: 'No', data: 'no' },
      ],
    ],
  }
  const messages: string[] = []
  for (const person of people) {
    const answer = await api.call('POST', `/v1/chats/${person.state.chat}/messages`, body)
    messages.push((JSON.parse(answer) as { id: string }).id)
  }
  api.close()
  return messages
}

async function measure(scene: Scene, load: Load, rounds: number): Promise<Rounds> {
  const measured: Rounds = { press: [], text: [] }
  await inTurn(rounds, [
    async () => void measured.press.push(await round(scene, 'press', load)),
    async () => void measured.text.push(await round(scene, 'text', load)),
  ])
  return measured
}

async function round({ ring, messages }: Scene, kind: Kind, load: Load): Promise<Round> {
  const wanted = { count: load.count / load.people, atOnce: load.atOnceEach }
  const before = await usageOf(ring)
  const startedMs = performance.now()
  const asked = ring.people
    .slice(0, load.people)
    .map((person, at) =>
      kind === 'press'
        ? person.ask<Trip[]>('press', { ...wanted, message: messages[at], data: DATA })
        : person.ask<Trip[]>('timeTexts', wanted),
    )
  const trips = (await Promise.all(asked)).flat()
  const tookMs = performance.now() - startedMs
  const after = await usageOf(ring)
  return {
    trips,
    ratePerSec: (load.count * 1000) / tookMs,
    gatewayCpuMs: (after.gateway.cpuMs - before.gateway.cpuMs) / load.count,
    relayCpuMs: (after.relay.cpuMs - before.relay.cpuMs) / load.count,
  }
}

type Names = { what: string; peer: string }

const timeRows = ({ what, peer }: Names, rounds: Rounds, timeMs: (trip: Trip) => number): Row[] => {
  const times = (kind: Kind) => rounds[kind].flatMap(({ trips }) => trips.map(timeMs))
  return [0.5, 0.95].map(part => ({
    what: `${what} p${part * 100}, ${sequence.name}`,
    ours: percentile(times('press'), part),
    unit: 'ms',
    peer: { what: peer, figure: percentile(times('text'), part), better: 'less' },
  }))
}

function loadRows(load: Load, rounds: Rounds): Row[] {
  const row = (what: string, unit: string, of: (round: Round) => number): Row => ({
    what: `${what}, ${load.name}`,
    ours: median(rounds.press.map(of)),
    unit,
    peer: {
      what: 'texts and their answers',
      figure: median(rounds.text.map(of)),
      better: unit === '/s' ? 'more' : 'less',
    },
  })
  const toldMs = ({ trips }: Round) => median(trips.map(trip => trip.toldMs))
  return [
    row('presses and their toasts', '/s', ({ ratePerSec }) => ratePerSec),
    row('press to its update p50', 'ms', toldMs),
    row('CPU of gateway, press', 'ms', ({ gatewayCpuMs }) => gatewayCpuMs),
    row('CPU of relay, press', 'ms', ({ relayCpuMs }) => relayCpuMs),
  ]
}
