// Delivered updates: one POST each, in order, to a receiver that answers immediately.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DeliveriesSettings } from '../bare/deliveries.ts'
import { inTurn, median } from '../figures.ts'
import { Bots } from '../filled/bots.ts'
import { addUpdates } from '../filled/records.ts'
import { Child } from '../processes/child.ts'
import { inScratch } from '../scratch.ts'
import type { Row } from '../table.ts'

const ROUNDS = 3
const UPDATES = 3000
const BOT = 'delivering'
const SECRET = 'a secret of the operator'

type Receiver = Child<{ url: string }>

export const measureWebhook = (): Promise<Row[]> =>
  inScratch(async directory => {
    const bots = await Bots.open(directory)
    await bots.register(BOT)
    const receiver: Receiver = await Child.start(new URL('./receiver.ts', import.meta.url), {})
    const path = join(directory, 'updates')
    const rates = { ours: [] as number[], bare: [] as number[] }
    await inTurn(ROUNDS, [
      async () => {
        writeFileSync(path, bots.fill(BOT, database => addUpdates(database, UPDATES)).join('\n'))
        const webhook = { url: receiver.state.url, secret: SECRET }
        rates.ours.push(await rateOf(receiver, () => bots.start(BOT, { webhook })))
      },
      async () => {
        const settings: DeliveriesSettings = { path, url: receiver.state.url, secret: SECRET }
        rates.bare.push(await rateOf(receiver, () => startBare(settings)))
      },
    ])
    await receiver.stop()
    await bots.close()
    const peer = { what: 'node:http loop with HMAC', figure: median(rates.bare), better: 'more' as const }
    return [{ what: 'webhook deliveries', ours: median(rates.ours), unit: '/s', peer }]
  })

const startBare = (settings: DeliveriesSettings): Promise<Child> =>
  Child.start(new URL('../bare/deliveries.ts', import.meta.url), settings)

/** Each side is restarted for each round: none is warmer than the other. */
async function rateOf(receiver: Receiver, start: () => Promise<Child>): Promise<number> {
  const receiving = receiver.ask<number>('received', UPDATES)
  const sender = await start()
  const tookMs = await receiving
  await sender.stop()
  return (UPDATES * 1000) / tookMs
}
