// How long a gateway needs from its start to an answer, and to its relay.
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Child } from './child.ts'

export type Start = { healthyMs: number; onlineMs: number }

export async function timedStart<State>(
  startOn: (port: number) => Promise<Child<State>>,
): Promise<Start & { child: Child<State> }> {
  const port = await freePort()
  const startedMs = performance.now()
  const sinceMs = () => performance.now() - startedMs
  const starting = startOn(port)
  const online = async () => await (await starting).ask('online')
  const [healthyMs, onlineMs] = await Promise.all([healthy(port).then(sinceMs), online().then(sinceMs)])
  return { healthyMs, onlineMs, child: await starting }
}

export async function healthy(port: number): Promise<void> {
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined)
    if (answer?.ok) return
    await wait(2)
  }
}

/**
 * Below the ports that systems assign: a client that connects to one of those before anybody listens may connect to
 * itself.
 */
const ports = { from: 20_000, to: 30_000 }

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(ports.from, ports.to)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
