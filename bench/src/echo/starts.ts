// How long a gateway needs from nothing to an answer, and to its relay, on the data of a bot that has been in use.
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { inTurn, median } from '../figures.ts'
import type { Child } from '../processes/child.ts'
import type { Row } from '../table.ts'
import type { Side } from './side.ts'

const ROUNDS = 5

type Start = { healthyMs: number; onlineMs: number }

/** Takes the gateways out of their rings while it measures. */
export async function startRows({ ours, bare }: { ours: Side; bare: Side }): Promise<Row[]> {
  const starts: { ours: Start[]; bare: Start[] } = { ours: [], bare: [] }
  const restart = (side: Side, into: Start[]) => async () => {
    await side.ring.gateway.stop()
    into.push(await start(side))
  }
  for (const side of [ours, bare]) await side.ring.bot.stop()
  await inTurn(ROUNDS, [restart(ours, starts.ours), restart(bare, starts.bare)])
  const healthyMs = (of: Start[]) => median(of.map(one => one.healthyMs))
  const peer = { what: 'bare node:http process', figure: healthyMs(starts.bare), better: 'less' as const }
  return [
    { what: 'gateway start to /healthz', ours: healthyMs(starts.ours), unit: 'ms', peer },
    { what: 'gateway start to online', ours: median(starts.ours.map(one => one.onlineMs)), unit: 'ms', peer },
  ]
}

async function start(side: Side): Promise<Start> {
  const port = await freePort()
  const startedMs = performance.now()
  const sinceMs = () => performance.now() - startedMs
  const starting = side.ring.startGateway(port)
  const [healthyMs, onlineMs] = await Promise.all([healthy(port).then(sinceMs), online(starting).then(sinceMs)])
  side.ring.gateway = await starting
  return { healthyMs, onlineMs }
}

async function online(starting: Promise<Child>): Promise<void> {
  await (await starting).ask('online')
}

async function healthy(port: number): Promise<void> {
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined)
    if (answer?.ok) return
    await wait(2)
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
