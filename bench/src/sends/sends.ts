// Texts that the operator posts, to offline people: until the relay has each of them durably.
import { Agent } from 'node:http'
import { join } from 'node:path'
import { startRing, stopRing } from '../echo/ring.ts'
import { inTurn, median, ratePerSec } from '../figures.ts'
import { Child } from '../processes/child.ts'
import { inScratch } from '../scratch.ts'
import type { Row } from '../table.ts'
import type { CeilingSettings } from './ceiling.ts'
import { post, type Target } from './post.ts'

const ROUNDS = 5
const PEOPLE = 4
/** Connections, and sends per round. */
const loads: [connections: number, count: number][] = [
  [1, 200],
  [8, 1000],
  [32, 2000],
]

export const measureSends = (): Promise<Row[]> =>
  inScratch(async directory => {
    const ring = await startRing(join(directory, 'ours'), { people: PEOPLE })
    const chats = ring.people.map(person => person.state.chat)
    await Promise.all([ring.bot, ...ring.people].map(child => child.stop()))
    const bareRelay = await Child.start<{ port: number }>(new URL('../bare/relay.ts', import.meta.url), {
      ledger: join(directory, 'bare-relay'),
    })
    const ceiling = await Child.start<{ url: string }>(new URL('./ceiling.ts', import.meta.url), {
      path: join(directory, 'ceiling.db'),
      relayPort: bareRelay.state.port,
    } satisfies CeilingSettings)
    const rows: Row[] = []
    for (const [connections, count] of loads) {
      const agent = new Agent({ keepAlive: true, maxSockets: connections })
      const ours = { ...ring.api, chats, agent }
      const peer = { ...ours, url: ceiling.state.url }
      rows.push(await measureLoad({ ours, peer }, { atOnce: connections, count }))
      agent.destroy()
    }
    await ceiling.stop()
    await bareRelay.stop()
    await stopRing(ring)
    return rows
  })

type Load = { atOnce: number; count: number }

async function measureLoad({ ours, peer }: { ours: Target; peer: Target }, load: Load): Promise<Row> {
  const rates = { ours: [] as number[], peer: [] as number[] }
  const round = (target: Target) => ratePerSec(at => post(target, at), load)
  for (const target of [ours, peer]) await round(target)
  await inTurn(ROUNDS, [
    async () => void rates.ours.push(await round(ours)),
    async () => void rates.peer.push(await round(peer)),
  ])
  return {
    what: `sends of a gateway, ${load.atOnce} connection${load.atOnce === 1 ? '' : 's'}`,
    ours: median(rates.ours),
    unit: '/s',
    peer: { what: 'http + signature + cipher + insert + relay', figure: median(rates.peer), better: 'more' },
  }
}
