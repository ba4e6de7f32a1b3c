// Calls of the Telegram Bot API, compared with the calls of our own API that do the same. In one process.
import { type TestGateway, type TestPerson, WITHIN, World } from '@postern/testkit'
import { inTurn, median, ratePerSec } from '../figures.ts'
import { addArrival } from '../filled/records.ts'
import { HttpApi } from '../http-api.ts'
import type { Row } from '../table.ts'

const ROUNDS = 6
const SENDS = 200
const PEOPLE = ['alice', 'bob', 'carol', 'dave', 'erin']
/** In each round. */
const UPDATES = 2000
const LIMIT = 100
const READS_AGAIN = 100

type Update = { id: number } | { update_id: number }
type Side = {
  send: (text: string) => Promise<string>
  page: (offset: number) => Promise<Update[]>
  /** The place of the last page, and that of the next one. */
  last: number
  next: number
}
type Rates = { sends: number[]; updates: number[]; pages: number[] }

export async function measureTelegram(): Promise<Row[]> {
  const world = await World.start()
  try {
    const gateway = await world.gateway({ TELEGRAM_API: 'on', LOG_LEVEL: 'error' })
    await gateway.client.whenOnline(WITHIN)
    const { body: me } = await gateway.api<{ invite_url: string }>('GET', '/v1/me')
    const people: TestPerson[] = []
    for (const name of PEOPLE) people.push(await world.person(name))
    for (const person of people) await person.openInvite(me.invite_url)
    const api = new HttpApi(gateway)
    const chat = people[0]?.id
    const bot = `/bot${gateway.token}`
    const face: Side = {
      ...atStart,
      send: text => api.call('POST', `${bot}/sendMessage`, { chat_id: chat, text }),
      page: async offset => {
        const answer = await api.call('POST', `${bot}/getUpdates`, { offset, limit: LIMIT })
        return (JSON.parse(answer) as { result: Update[] }).result
      },
    }
    const native: Side = {
      ...atStart,
      send: text => api.call('POST', `/v1/chats/${chat}/messages`, { text }),
      page: async offset =>
        JSON.parse(await api.call('GET', `/v1/updates?reader=native&offset=${offset}&limit=${LIMIT}`)) as Update[],
    }
    // Creates the reader.
    await native.page(0)
    const rows = await measure({ face, native, fill: () => fill({ gateway, people, sides: [face, native] }) })
    api.close()
    return rows
  } finally {
    await world.stop()
  }
}

type Filling = { gateway: TestGateway; people: TestPerson[]; sides: Side[] }

/** Empties both queues, and puts the same texts into them, as if the bot had been away. */
async function fill({ gateway, people, sides }: Filling): Promise<void> {
  for (const side of sides) await drain(side, Number.POSITIVE_INFINITY)
  await gateway.client.journal.store.write(database => {
    for (let at = 0; at < UPDATES; at++) {
      const { id, name } = people[at % people.length] as TestPerson
      addArrival(database, { id, name }, at)
    }
  })
}

/** Each page is confirmed by the request for the next one. Ends at an empty page. */
async function drain(side: Side, max: number): Promise<number> {
  for (let count = 0; ; ) {
    const page = await side.page(side.next)
    const last = page.at(-1)
    count += page.length
    if (!last) return count
    side.last = side.next
    side.next = ('id' in last ? last.id : last.update_id) + 1
    if (count >= max) return count
  }
}

async function drainedPerSec(side: Side): Promise<number> {
  const startedMs = performance.now()
  const count = await drain(side, UPDATES)
  if (count !== UPDATES) throw new Error(`${count} updates were drained`)
  return (count * 1000) / (performance.now() - startedMs)
}

type Measured = { face: Side; native: Side; fill: () => Promise<void> }

async function measure({ face, native, fill: fillBoth }: Measured): Promise<Row[]> {
  const [ours, theirs]: [Rates, Rates] = [noRates(), noRates()]
  const drained = (side: Side, rates: Rates) => async () => {
    rates.updates.push(await drainedPerSec(side))
    const again = () => side.page(side.last)
    rates.pages.push(await ratePerSec(again, { count: READS_AGAIN, atOnce: 1 }))
  }
  const sent = (side: Side, rates: Rates) => async () =>
    void rates.sends.push(await ratePerSec(at => side.send(`text ${at}`), { count: SENDS, atOnce: 1 }))
  const round = async (rounds: number, [one, other]: [Rates, Rates]) => {
    await inTurn(rounds, [sent(face, one), sent(native, other)])
    for (let at = 0; at < rounds; at++) {
      await fillBoth()
      const sides = [drained(face, one), drained(native, other)]
      await inTurn(1, at % 2 === 0 ? sides : sides.toReversed())
    }
  }
  await round(1, [noRates(), noRates()])
  await round(ROUNDS, [ours, theirs])
  return [
    {
      what: 'sendMessage of the Telegram Bot API',
      ours: median(ours.sends),
      unit: '/s',
      peer: { what: 'the same over /v1', figure: median(theirs.sends), better: 'more' },
    },
    {
      what: `updates drained by getUpdates, ${LIMIT} at a time`,
      ours: median(ours.updates),
      unit: '/s',
      peer: { what: 'a named reader over /v1', figure: median(theirs.updates), better: 'more' },
    },
    {
      what: `getUpdates of the same ${LIMIT} updates again`,
      ours: median(ours.pages),
      unit: '/s',
      peer: { what: 'a named reader over /v1', figure: median(theirs.pages), better: 'more' },
    },
  ]
}

const atStart = { last: 0, next: 0 }
const noRates = (): Rates => ({ sends: [], updates: [], pages: [] })
