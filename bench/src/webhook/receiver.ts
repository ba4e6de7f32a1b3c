// An operator's server in a separate process: answers every delivery immediately, and reports how long many of them took.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serveParent } from '../processes/parent.ts'

let expected: { count: number; done: (tookMs: number) => void } | undefined
let count = 0
let firstMs = 0

const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    response.end()
    count += 1
    if (count === 1) firstMs = performance.now()
    if (count === expected?.count) expected.done(performance.now() - firstMs)
  })
})

/** From the first delivery to the last. Called before the first one arrives. */
async function received(wanted: number): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  count = 0
  expected = { count: wanted, done: resolve }
  return await promise
}

server.listen(0, '127.0.0.1')
await once(server, 'listening')
serveParent({
  state: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/updates` },
  answers: { received },
  stop: () => {
    server.close()
    server.closeAllConnections()
  },
})
