// A port for a server that needs one in advance, or returns to its previous one.
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import { Deferred } from '@postern/protocol'

/** Below the ports that systems assign automatically: one of those could be taken while nobody listens on it. */
const LOWEST = 10_000
const HIGHEST = 32_000

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST)
    if (await isFree(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  const tried = new Deferred<boolean>()
  server.once('error', () => tried.resolve(false))
  server.listen(port, '127.0.0.1', () => server.close(() => tried.resolve(true)))
  return await tried.promise
}
