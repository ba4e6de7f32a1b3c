// Posts of alerts to hooks of offline people: until the relay has each of them durably, and the sender is answered.
import { join } from 'node:path'
import { inTurn, median, ratePerSec } from '../figures.ts'
import { inScratch } from '../scratch.ts'
import type { Row } from '../table.ts'
import { startHookBot } from './hook-bot.ts'
import { latencyRows } from './latencies.ts'
import { Sender } from './sender.ts'

const ROUNDS = 5
const PEOPLE = 4
const SENDERS = 8
/** Posts per round. */
const COUNT = 400

export const measureHooks = (): Promise<Row[]> =>
  inScratch(async directory => {
    const bot = await startHookBot(join(directory, 'bot'), { people: PEOPLE })
    const sender = new Sender(bot, { connections: SENDERS })
    const rows = [
      await sustained(sender, { what: 'posts to one hook, 8 senders', targets: 1 }),
      await sustained(sender, { what: 'posts to four hooks, 8 senders', targets: PEOPLE }),
      ...(await latencyRows(sender, { perSec: 1, count: 30 })),
      ...(await latencyRows(sender, { perSec: 20, count: 300 })),
    ]
    sender.close()
    await bot.stop()
    return rows
  })

/** One hook sends its posts one after the other: its peer sends to one chat over one connection. */
async function sustained(sender: Sender, { what, targets }: { what: string; targets: number }): Promise<Row> {
  const rates = { hooks: [] as number[], sends: [] as number[] }
  const load = { count: COUNT, atOnce: SENDERS }
  const peerLoad = { count: COUNT, atOnce: targets === 1 ? 1 : SENDERS }
  const hooks = () => ratePerSec(at => sender.post(at % targets), load)
  const sends = () => ratePerSec(at => sender.send(at % targets), peerLoad)
  for (const side of [hooks, sends]) await side()
  await inTurn(ROUNDS, [
    async () => void rates.hooks.push(await hooks()),
    async () => void rates.sends.push(await sends()),
  ])
  const peer = { what: 'sends of the API', figure: median(rates.sends), better: 'more' as const }
  return { what, ours: median(rates.hooks), unit: '/s', peer }
}
