// A queue that grew while the operator's bot was away, drained by long polls that confirm as they go.
import { join } from 'node:path'
import { startAnswers } from '../bare/start-answers.ts'
import { inTurn, median } from '../figures.ts'
import { Bots, TOKEN } from '../filled/bots.ts'
import { addUpdates } from '../filled/records.ts'
import { HttpApi } from '../http-api.ts'
import { inScratch } from '../scratch.ts'
import type { Row } from '../table.ts'

const ROUNDS = 3
const UPDATES = 10_000
const LIMIT = 100
const BOT = 'drained'

export const measureUpdates = (): Promise<Row[]> =>
  inScratch(async directory => {
    const bots = await Bots.open(directory)
    await bots.register(BOT)
    const path = join(directory, 'pages')
    const ledger = join(directory, 'ledger')
    const rates = { ours: [] as number[], synced: [] as number[], bare: [] as number[] }
    let answers: string[] = []
    await inTurn(ROUNDS, [
      async () => {
        answers = pagesOf(bots.fill(BOT, database => addUpdates(database, UPDATES)))
        rates.ours.push(await drainBot(bots))
      },
      async () => void rates.synced.push(await drainPages({ answers, path, ledger })),
      async () => void rates.bare.push(await drainPages({ answers, path })),
    ])
    await bots.close()
    const [what, unit, ours] = [`updates drained, ${LIMIT} at a time`, '/s', median(rates.ours)]
    return [
      { what, ours, unit, peer: { what: 'node:http, synced file', figure: median(rates.synced), better: 'more' } },
      { what, ours, unit, peer: { what: 'node:http, no disk', figure: median(rates.bare), better: 'more' } },
    ]
  })

/** Each side is restarted for each round: none is warmer than the other. */
async function drainBot(bots: Bots): Promise<number> {
  const gateway = await bots.start(BOT)
  await gateway.ask('online')
  const pathAt = ({ offset }: Place) => `/v1/updates?offset=${offset}&limit=${LIMIT}&timeout=30`
  const rate = await drain({ url: gateway.state.url, token: TOKEN }, pathAt)
  await gateway.stop()
  return rate
}

async function drainPages(pages: Parameters<typeof startAnswers>[0]): Promise<number> {
  const server = await startAnswers(pages)
  const rate = await drain(server.state, ({ count }) => `/${count / LIMIT}`)
  await server.stop()
  return rate
}

const pagesOf = (updates: string[]): string[] =>
  Array.from({ length: UPDATES / LIMIT }, (_, page) => `[${updates.slice(page * LIMIT, (page + 1) * LIMIT).join(',')}]`)

type Place = { offset: number; count: number }

async function drain(server: { url: string; token?: string }, pathAt: (place: Place) => string): Promise<number> {
  const api = new HttpApi(server)
  const startedMs = performance.now()
  const place: Place = { offset: 0, count: 0 }
  while (place.count < UPDATES) {
    const updates = JSON.parse(await api.call('GET', pathAt(place))) as { id: number }[]
    place.offset = (updates.at(-1)?.id ?? 0) + 1
    place.count += updates.length
  }
  const tookMs = performance.now() - startedMs
  api.close()
  return (UPDATES * 1000) / tookMs
}
