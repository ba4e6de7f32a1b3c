// Calls of the Telegram Bot API, compared with the calls of our own API that do the same. In one process.
import { WITHIN, World } from '@postern/testkit'
import { inTurn, median, ratePerSec } from '../figures.ts'
import { HttpApi } from '../http-api.ts'
import type { Row } from '../table.ts'

const ROUNDS = 6
const SENDS = 200
const PAGES = 100
/** A full page: it is read again and again, and nothing is confirmed. */
const UPDATES = 100

type Side = { send: (text: string) => Promise<string>; page: () => Promise<string> }
type Rates = { sends: number[]; pages: number[] }

export async function measureTelegram(): Promise<Row[]> {
  const world = await World.start()
  try {
    const person = await world.person('alice')
    const gateway = await world.gateway({ TELEGRAM_API: 'on', LOG_LEVEL: 'error' })
    await gateway.client.whenOnline(WITHIN)
    await person.openInvite((await gateway.api<{ invite_url: string }>('GET', '/v1/me')).body.invite_url)
    const api = new HttpApi(gateway)
    const chat = person.id
    const toBot = gateway.client.account
    for (let at = 0; at < UPDATES; at++) await person.say(toBot as never, `message ${at}`)
    const native: Side = {
      send: text => api.call('POST', `/v1/chats/${chat}/messages`, { text }),
      page: () => api.call('GET', `/v1/updates?limit=${UPDATES}`),
    }
    const bot = `/bot${gateway.token}`
    const face: Side = {
      send: text => api.call('POST', `${bot}/sendMessage`, { chat_id: chat, text }),
      page: () => api.call('POST', `${bot}/getUpdates`, { limit: UPDATES }),
    }
    await untilFull(native)
    await untilFull(face)
    const rows = await measure(face, native)
    api.close()
    return rows
  } finally {
    await world.stop()
  }
}

/** All messages have arrived, and have their numbers. */
async function untilFull({ page }: Side): Promise<void> {
  for (;;) {
    const answer = JSON.parse(await page()) as unknown[] | { result: unknown[] }
    const { length } = Array.isArray(answer) ? answer : answer.result
    if (length === UPDATES) return
  }
}

async function measure(face: Side, native: Side): Promise<Row[]> {
  const [ours, theirs]: [Rates, Rates] = [
    { sends: [], pages: [] },
    { sends: [], pages: [] },
  ]
  const round =
    ({ send, page }: Side, rates: Rates) =>
    async () => {
      rates.sends.push(await ratePerSec(at => send(`text ${at}`), { count: SENDS, atOnce: 1 }))
      rates.pages.push(await ratePerSec(page, { count: PAGES, atOnce: 1 }))
    }
  await round(face, { sends: [], pages: [] })()
  await round(native, { sends: [], pages: [] })()
  await inTurn(ROUNDS, [round(face, ours), round(native, theirs)])
  return [
    {
      what: 'sendMessage of the Telegram Bot API',
      ours: median(ours.sends),
      unit: '/s',
      peer: { what: 'the same over /v1', figure: median(theirs.sends), better: 'more' },
    },
    {
      what: `getUpdates of the Telegram Bot API, ${UPDATES} updates`,
      ours: median(ours.pages),
      unit: '/s',
      peer: { what: 'the same over /v1', figure: median(theirs.pages), better: 'more' },
    },
  ]
}
