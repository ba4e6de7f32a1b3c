// Idle streams of updates at a gateway: the memory of each.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { gatewayLimits } from '@postern/protocol'
import { Bots, TOKEN } from '../filled/bots.ts'
import { Child } from '../processes/child.ts'
import { inScratch } from '../scratch.ts'
import type { Row } from '../table.ts'

/** As many as may wait: the streams of all named readers share these places, and each reader may have any number. */
const COUNT = gatewayLimits.readerWaitsMax
/** The setup costs of the very first ones are not counted for each. */
const FIRST = COUNT / 100
const SETTLE_MS = 2_000
const BOT = 'streaming'

export const measureStreams = (): Promise<Row[]> =>
  inScratch(async directory => {
    const bots = await Bots.open(directory)
    await bots.register(BOT)
    const ours = await measureHeld(async () => {
      const gateway = await bots.start(BOT)
      await gateway.ask('online')
      return gateway
    })
    await bots.close()
    const bare = await measureHeld(() => Child.start(new URL('../bare/held-answers.ts', import.meta.url), {}))
    const peer = { what: 'node:http, an answer that is held', better: 'less' as const }
    const at = `${COUNT} idle streams of updates`
    return [
      {
        what: `memory of one of ${at}`,
        ours: ours.bytesEach,
        unit: 'bytes',
        peer: { ...peer, figure: bare.bytesEach },
      },
      { what: `RSS of gateway, ${at}`, ours: ours.rssMib, unit: 'MiB', peer: { ...peer, figure: bare.rssMib } },
    ]
  })

type Held = { bytesEach: number; rssMib: number }

async function measureHeld(start: () => Promise<Child<{ url: string }>>): Promise<Held> {
  const server = await start()
  const port = Number(new URL(server.state.url).port)
  const sockets: Socket[] = []
  const openUpTo = async (count: number): Promise<void> => {
    while (sockets.length < count) sockets.push(await openStream(port, sockets.length))
  }
  await openUpTo(FIRST)
  const emptyMib = await server.ask<number>('settledRssMib')
  await openUpTo(COUNT)
  await wait(SETTLE_MS)
  const rssMib = await server.ask<number>('settledRssMib')
  for (const socket of sockets) socket.destroy()
  await server.stop()
  return { bytesEach: ((rssMib - emptyMib) * 2 ** 20) / (COUNT - FIRST), rssMib }
}

/** Resolves with the first bytes of the answer. */
async function openStream(port: number, number: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  const reader = `reader-${number % gatewayLimits.readersMax}`
  socket.write(
    `GET /v1/updates/stream?reader=${reader} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`,
  )
  const [head] = (await once(socket, 'data')) as [Buffer]
  if (!head.toString('latin1').startsWith('HTTP/1.1 200 '))
    throw new Error(`the stream was refused: ${head.toString()}`)
  return socket.resume()
}
