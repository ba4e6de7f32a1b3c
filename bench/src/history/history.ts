// Pages of one chat's messages: the same whether a thousand or a million are stored.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Message } from '@postern/bot-api/objects'
import type { ChatId } from '@postern/protocol'
import { startAnswers } from '../bare/start-answers.ts'
import { makeMlsPair } from '../crypto/mls-pair.ts'
import { inTurn, percentile, timesMs } from '../figures.ts'
import { Bots, TOKEN } from '../filled/bots.ts'
import { addChat, addMessage, addPerson, addReaction, textOf } from '../filled/records.ts'
import { HttpApi } from '../http-api.ts'
import type { GroupSession } from '../inside.ts'
import type { Child } from '../processes/child.ts'
import { inScratch } from '../scratch.ts'
import type { Row } from '../table.ts'

const ROUNDS = 5
const REQUESTS = 100
const LIMIT = 50
const FEW = 1000
const MANY = 1_000_000
const FIRST_TS = Date.UTC(2025, 0, 1)
const APART_MS = 10_000
/** One message in this many has a reaction. */
const REACTION_EVERY = 20

type History = { api: HttpApi; chat: ChatId; count: number; gateway: Child; bytes: number }
type Times = { newest: number[]; middle: number[] }

export const measureHistory = (): Promise<Row[]> =>
  inScratch(async directory => {
    const bots = await Bots.open(directory)
    const { alice } = await makeMlsPair()
    const few = await openHistory(bots, { count: FEW, session: alice })
    const many = await openHistory(bots, { count: MANY, session: alice })
    const page = await few.api.call('GET', newestPath(few))
    const server = await startAnswers({ answers: [page], path: join(directory, 'page') })
    const bare = new HttpApi(server.state)
    const times = { few: newTimes(), many: newTimes(), bare: [] as number[] }
    const get = (into: number[], api: HttpApi, pathNow: () => string) => async () =>
      void into.push(...(await timesMs(REQUESTS, () => api.call('GET', pathNow()))))
    await inTurn(ROUNDS, [
      get(times.few.newest, few.api, () => newestPath(few)),
      get(times.many.newest, many.api, () => newestPath(many)),
      get(times.few.middle, few.api, () => middlePath(few)),
      get(times.many.middle, many.api, () => middlePath(many)),
      get(times.bare, bare, () => '/0'),
    ])
    for (const api of [few.api, many.api, bare]) api.close()
    for (const child of [few.gateway, many.gateway, server]) await child.stop()
    await bots.close()
    return [...rowsOf(times), sizeRow(many, page)]
  })

const newTimes = (): Times => ({ newest: [], middle: [] })
const newestPath = ({ chat }: History): string => `/v1/chats/${chat}/messages?limit=${LIMIT}`

/** Another page each time: a page that was just read is in memory. */
function middlePath({ chat, count }: History): string {
  const at = LIMIT + Math.floor(Math.random() * (count - LIMIT))
  return `/v1/chats/${chat}/messages?limit=${LIMIT}&before=${FIRST_TS + at * APART_MS}`
}

async function openHistory(bots: Bots, { count, session }: { count: number; session: GroupSession }): Promise<History> {
  const name = `bot-${count}`
  await bots.register(name)
  const bytesBefore = databaseBytes(bots, name)
  const chat = bots.fill(name, (database, own) => {
    const person = addPerson(database, 'Ada')
    const filled = addChat(database, { own, others: [person], session, ts: FIRST_TS })
    for (let at = 0; at < count; at++) {
      const [sender, other] = at % 2 === 0 ? [own, person] : [person, own]
      const message = addMessage(database, { chat: filled, sender, ts: FIRST_TS + at * APART_MS, text: textOf(at) })
      if (at % REACTION_EVERY === 0) addReaction(database, message, other)
    }
    return filled
  })
  const bytes = databaseBytes(bots, name) - bytesBefore
  const gateway = await bots.start(name)
  return { api: new HttpApi({ url: gateway.state.url, token: TOKEN }), chat, count, gateway, bytes }
}

const databaseBytes = (bots: Bots, name: string): number => statSync(join(bots.directoryOf(name), 'core.db')).size

function rowsOf({ few, many, bare }: { few: Times; many: Times; bare: number[] }): Row[] {
  const row = (page: keyof Times, part: number): Row => ({
    what: `GET messages, ${page} ${LIMIT} of 1,000,000, p${part * 100}`,
    ours: percentile(many[page], part),
    unit: 'ms',
    peer: { what: 'of 1,000', figure: percentile(few[page], part), better: 'less' },
  })
  const ceiling = (part: number): Row => ({
    what: `GET messages, newest ${LIMIT} of 1,000, p${part * 100}`,
    ours: percentile(few.newest, part),
    unit: 'ms',
    peer: { what: 'same bytes, node:http', figure: percentile(bare, part), better: 'less' },
  })
  return [0.5, 0.95].flatMap(part => [row('newest', part), row('middle', part), ceiling(part)])
}

function sizeRow(many: History, page: string): Row {
  const messages = JSON.parse(page) as Message[]
  const peer = { what: 'as JSON of the API', figure: page.length / messages.length, better: 'less' as const }
  return { what: 'database per message, 1,000,000 stored', ours: many.bytes / many.count, unit: 'bytes', peer }
}
