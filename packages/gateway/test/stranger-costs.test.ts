// The costs that callers without a token can cause: connections, pipelined requests, documents. Counts, not timings.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import zlib from 'node:zlib'
import { gatewayLimits, httpLimits } from '@postern/protocol'
import { expect, onTestFinished, vi } from 'vitest'
import { onlineGateway } from './api.ts'
import { test } from './fixtures.ts'
import { newHook } from './hooks.ts'

async function dial({ port }: { port: number }): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  // The tests are about being cut off.
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

const closed = async (socket: Socket): Promise<void> => {
  socket.resume()
  if (!socket.closed) await new Promise<void>(resolve => socket.once('close', () => resolve()))
}

const asking = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: postern\r\n\r\n`

test('[GATEWAY-11.6] the files of the page are unpacked when the gateway starts, and never for a request', async ({
  world,
}) => {
  const packing = ['gunzipSync', 'gzipSync', 'deflateSync', 'inflateSync', 'brotliDecompressSync'] as const
  const work = packing.map(name => vi.spyOn(zlib, name))
  const { syncBuiltinESMExports } = process.getBuiltinModule('node:module')
  syncBuiltinESMExports()
  onTestFinished(() => {
    for (const spy of work) spy.mockRestore()
    syncBuiltinESMExports()
  })
  const { gateway } = await onlineGateway(world, { REFERENCE: 'on' })
  const count = () => work.reduce((calls, spy) => calls + spy.mock.calls.length, 0)
  const atStart = count()
  expect(atStart).toBeGreaterThan(0)
  for (const file of ['', '/page.css', '/page.js', '/rapidoc.js'])
    for (const coding of ['identity', 'gzip'])
      expect((await fetch(`${gateway.url}/reference${file}`, { headers: { 'accept-encoding': coding } })).status).toBe(
        200,
      )
  expect(count()).toBe(atStart)
})

test('[GATEWAY-2.25] 64 KB of requests for the largest file cost no more than one answer', async ({ world }) => {
  const answered: unknown[] = []
  const nothing = () => undefined
  const log = {
    info: nothing,
    warn: nothing,
    error: nothing,
    debug: (fields: Record<string, unknown>) => {
      if (String(fields['route']).includes('/reference')) answered.push(fields)
    },
  }
  const { gateway } = await onlineGateway(world, { REFERENCE: 'on' }, { log })
  const mallory = await dial(gateway)
  mallory.write(asking('/reference/rapidoc.js').repeat(1_000))
  await closed(mallory)
  expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200)
  // One may have been sent whole before the rest was read.
  expect(answered.length).toBeLessThanOrEqual(1 + httpLimits.pipelinedMax)
})

test('[GATEWAY-2.26] callers without a token have places of their own, of which the oldest makes room', async ({
  online: { gateway, api },
}) => {
  const bot = await dial(gateway)
  const me = `GET /v1/me HTTP/1.1\r\nHost: postern\r\nAuthorization: Bearer ${gateway.token}\r\n\r\n`
  bot.write(me)
  await once(bot, 'data')
  const [first] = [await dial(gateway)]
  const cut = closed(first)
  const strangers: Socket[] = []
  for (let at = 0; at < gatewayLimits.strangersMax; at++) strangers.push(await dial(gateway))
  await cut
  // The caller that has shown its token stays, and new callers and strangers are served.
  bot.write(me)
  expect(String((await once(bot, 'data'))[0])).toMatch(/^HTTP\/1\.1 200/)
  expect(await api.me()).toBeDefined()
  strangers.at(-1)?.write(asking('/healthz'))
  expect(String((await once(strangers.at(-1) as Socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 200/)
})

test('[GATEWAY-2.26] a sender that has shown the secret of a hook keeps its place', async ({
  alice,
  hooked: { gateway, api },
}) => {
  const { url } = await newHook(api, alice.id, 'text')
  const sender = await dial(gateway)
  const post = `POST ${new URL(url).pathname} HTTP/1.1\r\nHost: postern\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\n`
  sender.write(`${post}ping`)
  await once(sender, 'data')
  for (let at = 0; at <= gatewayLimits.strangersMax; at++) await dial(gateway)
  sender.write(`${post}pong`)
  expect(String((await once(sender, 'data'))[0])).toMatch(/^HTTP\/1\.1 200/)
})

test('[GATEWAY-2.27] each version of the document is written once, for all callers', async ({
  online: { gateway },
}) => {
  const written = vi.spyOn(JSON, 'stringify')
  onTestFinished(() => written.mockRestore())
  const documents = () => written.mock.calls.filter(([value]) => (value as { openapi?: string })?.openapi).length
  for (const query of ['', '?version=3.0', '?version=3.1', '', '?version=3.0'])
    expect((await fetch(`${gateway.url}/openapi.json${query}`)).status).toBe(200)
  expect(documents()).toBe(2)
})
