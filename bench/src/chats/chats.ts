// A bot with many chats: its start, its memory, and the list of them.
import { join } from 'node:path'
import { startAnswers } from '../bare/start-answers.ts'
import { makeMlsPair } from '../crypto/mls-pair.ts'
import { inTurn, median, percentile, timesMs } from '../figures.ts'
import { Bots, TOKEN } from '../filled/bots.ts'
import { addChat, addPerson } from '../filled/records.ts'
import { HttpApi } from '../http-api.ts'
import type { GroupSession } from '../inside.ts'
import { type Start, timedStart } from '../processes/timed-start.ts'
import { inScratch } from '../scratch.ts'
import type { Row } from '../table.ts'

const START_ROUNDS = 5
const LIST_ROUNDS = 5
const LISTS = 5
const FEW = 10
const MANY = 10_000
/** One chat in this many is a group. */
const GROUP_EVERY = 20
const GROUP_MEMBERS = 10

type Sides<T> = { few: T; many: T }
const names: Sides<string> = { few: `bot-${FEW}`, many: `bot-${MANY}` }

export const measureChats = (): Promise<Row[]> =>
  inScratch(async directory => {
    const bots = await Bots.open(directory)
    const { alice } = await makeMlsPair()
    await fillChats(bots, names.few, { count: FEW, session: alice })
    await fillChats(bots, names.many, { count: MANY, session: alice })
    const starts = await measureStarts(bots)
    const lists = await measureLists(bots, directory)
    await bots.close()
    return [...startRows(starts), ...lists]
  })

async function fillChats(
  bots: Bots,
  name: string,
  { count, session }: { count: number; session: GroupSession },
): Promise<void> {
  await bots.register(name)
  bots.fill(name, (database, own) => {
    const people = Array.from({ length: count }, (_, at) => addPerson(database, `Person ${at}`))
    for (const [at, person] of people.entries()) {
      const others = at % GROUP_EVERY === 0 ? people.slice(at, at + GROUP_MEMBERS - 1) : [person]
      addChat(database, { own, others, session, ts: Date.now() + at })
    }
  })
}

type Measured = Start & { rssMib: number }

async function measureStarts(bots: Bots): Promise<Sides<Measured[]>> {
  const starts: Sides<Measured[]> = { few: [], many: [] }
  const start = (side: keyof typeof starts) => async () => {
    const { child, ...times } = await timedStart(port => bots.start(names[side], { port }))
    starts[side].push({ ...times, rssMib: (await child.usage()).rssMib })
    await child.stop()
  }
  await inTurn(START_ROUNDS, [start('few'), start('many')])
  return starts
}

const startRows = ({ few, many }: Sides<Measured[]>): Row[] =>
  (
    [
      ['gateway start to /healthz', 'healthyMs', 'ms'],
      ['gateway start to online', 'onlineMs', 'ms'],
      ['RSS of gateway, just started', 'rssMib', 'MiB'],
    ] as const
  ).map(([what, figure, unit]) => {
    const of = (starts: Measured[]) => median(starts.map(start => start[figure]))
    const peer = { what: `${FEW} chats`, figure: of(few), better: 'less' as const }
    return { what: `${what}, 10,000 chats`, ours: of(many), unit, peer }
  })

async function measureLists(bots: Bots, directory: string): Promise<Row[]> {
  const gateway = await bots.start(names.many)
  const api = new HttpApi({ url: gateway.state.url, token: TOKEN })
  const server = await startAnswers({ answers: [await api.call('GET', '/v1/chats')], path: join(directory, 'list') })
  const bare = new HttpApi(server.state)
  const times = { ours: [] as number[], bare: [] as number[] }
  await inTurn(LIST_ROUNDS, [
    async () => void times.ours.push(...(await timesMs(LISTS, () => api.call('GET', '/v1/chats')))),
    async () => void times.bare.push(...(await timesMs(LISTS, () => bare.call('GET', '/0')))),
  ])
  const { rssMib } = await gateway.usage()
  for (const client of [api, bare]) client.close()
  await server.stop()
  await gateway.stop()
  return [
    ...[0.5, 0.95].map((part): Row => {
      const peer = { what: 'same bytes, node:http', figure: percentile(times.bare, part), better: 'less' as const }
      return { what: `GET /v1/chats, 10,000, p${part * 100}`, ours: percentile(times.ours, part), unit: 'ms', peer }
    }),
    { what: 'RSS of gateway, after lists of 10,000', ours: rssMib, unit: 'MiB' },
  ]
}
