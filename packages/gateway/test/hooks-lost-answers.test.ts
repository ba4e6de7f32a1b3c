// Answers to hook posts that were sent and never arrived: a retry doubles nothing, and a post that is meant twice is
// sent twice.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { HookFormat } from '@postern/bot-api'
import { hookLimits } from '@postern/protocol'
import { expect } from 'vitest'
import { test as base } from './fixtures.ts'
import { backOnline, type HookedGateway, hookedGateway, newHook, secretOf } from './hooks.ts'

async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  return socket
}

/** A sender to one hook, over connections that the test ends in one way or another. */
class Sender {
  readonly #hooked: HookedGateway
  readonly #hook: { url: string }

  constructor(hooked: HookedGateway, hook: { url: string }) {
    this.#hooked = hooked
    this.#hook = hook
  }

  connect(): Promise<Socket> {
    return connected(this.#hooked.gateway.port)
  }

  /** The status of the answer. */
  async post(socket: Socket, body: string): Promise<number> {
    socket.write(this.#requestOf(body))
    const [answer] = (await once(socket, 'data')) as [Buffer]
    return Number(answer.toString().split(' ', 2)[1])
  }

  /** Over a separate connection, which it ends when it has read the answer. */
  async hears(body: string): Promise<void> {
    const socket = await this.connect()
    expect(await this.post(socket, body)).toBe(200)
    socket.end()
    await once(socket, 'close')
    await this.#endSeen()
  }

  /** The answer has reached the sender's machine, and the sender has not read it. */
  async resets(body: string): Promise<void> {
    const socket = await this.connect()
    expect(await this.post(socket, body)).toBe(200)
    socket.resetAndDestroy()
    await this.#endSeen()
  }

  /** A proxy accepts the answer and cuts off the sender; to the gateway it closes in order. */
  async hearsNothing(body: string): Promise<void> {
    const proxy = createServer(sender => {
      sender.on('error', () => undefined)
      const onward = connect(this.#hooked.gateway.port, '127.0.0.1')
      sender.pipe(onward)
      onward.once('data', () => {
        sender.resetAndDestroy()
        onward.end()
      })
    })
    proxy.listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const sender = await connected((proxy.address() as AddressInfo).port)
    const cut = once(sender, 'error')
    sender.write(this.#requestOf(body))
    expect((await cut)[0]).toMatchObject({ code: 'ECONNRESET' })
    proxy.close()
    await once(proxy, 'close')
    await this.#endSeen()
  }

  #requestOf(body: string): string {
    return [
      `POST /hooks/${secretOf(this.#hook)} HTTP/1.1`,
      'Host: hooks.example.org',
      'Content-Type: text/plain',
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n')
  }

  /** A request after the end of a connection is answered after the gateway has noticed that end. */
  async #endSeen(): Promise<void> {
    for (const _ of [1, 2]) await this.#hooked.gateway.api('GET', '/v1/chats')
  }
}

const test = base
  .extend('hooked', ({ world, alice, clock }) => hookedGateway(world, alice, { clock }))
  .extend('senderTo', ({ hooked, alice }) => async (format: HookFormat): Promise<Sender> => {
    return new Sender(hooked, await newHook(hooked.api, alice.id, format))
  })
  .extend('sender', ({ senderTo }) => senderTo('text'))
  .extend('pass', ({ clock, hooked }) => async (ms: number): Promise<void> => {
    clock.leap(ms)
    await backOnline(clock, hooked.gateway)
  })
  /** Every message of the bot, once the last one has arrived. */
  .extend('texts', ({ hooked, alice, senderTo }) => async (): Promise<string[]> => {
    const last = await senderTo('text')
    await last.hears('end')
    await alice.hears('end')
    return alice.texts(hooked.chatId).slice(0, -1)
  })

const run = (id: number | undefined, status: string) =>
  JSON.stringify({ object_kind: 'pipeline', object_attributes: { id, ref: 'main', status } })

const firing = JSON.stringify({
  version: '4',
  status: 'firing',
  groupKey: 'g',
  alerts: [{ status: 'firing', fingerprint: 'f', labels: { alertname: 'Down' } }],
})

test('[GATEWAY-10.6] a text whose answer was swallowed on the way, and which comes again within seconds, is written once', async ({
  clock,
  sender,
  texts,
}) => {
  await sender.hearsNothing('once')
  clock.advance(hookLimits.repeatWithinMs.text - 1)
  await sender.hears('once')
  expect(await texts()).toEqual(['once'])
})

test('[GATEWAY-10.6] so is one whose sender reset the connection instead of reading, for ten minutes', async ({
  sender,
  pass,
  texts,
}) => {
  await sender.resets('once')
  await pass(hookLimits.unheardWithinMs / 2)
  await sender.hears('once')
  expect(await texts()).toEqual(['once'])
})

test('[GATEWAY-10.6] after that time the same text is meant, however the first answer went', async ({
  sender,
  pass,
  texts,
}) => {
  await sender.hearsNothing('build done')
  await pass(hookLimits.repeatWithinMs.text)
  await sender.hears('build done')
  await pass(60_000)
  await sender.hears('build done')
  expect(await texts()).toEqual(['build done', 'build done', 'build done'])
})

test('[GATEWAY-10.6] who posts again over the same connection has heard the answer: the same text is meant', async ({
  sender,
  texts,
}) => {
  const socket = await sender.connect()
  for (const _ of [1, 2, 3]) expect(await sender.post(socket, 'tick')).toBe(200)
  socket.destroy()
  expect(await texts()).toEqual(['tick', 'tick', 'tick'])
})

test('[GATEWAY-10.6] the same text over another connection while the first one stands is meant', async ({
  sender,
  texts,
}) => {
  const sockets = [await sender.connect(), await sender.connect()]
  for (const socket of sockets) expect(await sender.post(socket, 'tick')).toBe(200)
  for (const socket of sockets) socket.destroy()
  expect(await texts()).toEqual(['tick', 'tick'])
})

test('[GATEWAY-10.6] what is said every few seconds is not silent for ever', async ({ clock, sender, texts }) => {
  for (const _ of [1, 2, 3]) {
    await sender.hears('tick')
    clock.advance(hookLimits.repeatWithinMs.text * 0.6)
  }
  expect(await texts()).toEqual(['tick', 'tick'])
})

test('[GATEWAY-10.6] a restart in between changes nothing of both', async ({ hooked, sender, pass, texts }) => {
  await sender.hearsNothing('once')
  await hooked.restart()
  await sender.hears('once')
  await pass(hookLimits.repeatWithinMs.text)
  await sender.hears('once')
  expect(await texts()).toEqual(['once', 'once'])
})

test('[GATEWAY-10.6] the same run of a pipeline in the same state is one event, for ten minutes', async ({
  senderTo,
  pass,
  texts,
}) => {
  const sender = await senderTo('pipeline')
  for (const body of [run(1, 'failed'), run(2, 'canceled')]) {
    await sender.hearsNothing(body)
    await pass(hookLimits.repeatWithinMs.run / 2)
    await sender.hears(body)
  }
  await sender.hears(run(3, 'failed'))
  expect((await texts()).map(text => [...text][0])).toEqual(['❌', '🚫', '❌'])
})

test('[GATEWAY-10.6] a run without a number is like a text', async ({ senderTo, pass, texts }) => {
  const sender = await senderTo('pipeline')
  await sender.hearsNothing(run(undefined, 'failed'))
  await sender.hears(run(undefined, 'failed'))
  await pass(hookLimits.repeatWithinMs.text)
  await sender.hears(run(undefined, 'failed'))
  expect(await texts()).toHaveLength(2)
})

test('[GATEWAY-10.6] alerts are known by their group and states, for a minute; and for ten after a reset', async ({
  clock,
  senderTo,
  pass,
  texts,
}) => {
  const sender = await senderTo('alerts')
  await sender.hearsNothing(firing)
  clock.advance(hookLimits.duplicateWithinMs - 1)
  await sender.hears(firing)
  await pass(1)
  await sender.resets(firing)
  await pass(hookLimits.unheardWithinMs / 2)
  await sender.hears(firing)
  expect(await texts()).toHaveLength(2)
})
