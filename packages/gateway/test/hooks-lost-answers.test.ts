// Answers to hook posts that were given and never arrived: who comes again doubles nothing, and what is meant twice is written twice.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { CreatedHook } from '@postern/bot-api'
import { type ChatId, hookLimits, privateChatId } from '@postern/protocol'
import { ManualClock, type Person, passTime, type TestGateway, World } from '@postern/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Api, onlineGateway } from './api.ts'
import { HOOKS_URL, hookedGateway, newHook, secretOf } from './hooks.ts'

let world: World
let alice: Person
let clock: ManualClock
let gateway: TestGateway
let api: Api
let hook: CreatedHook
let toBot: ChatId
beforeEach(async () => {
  world = await World.start()
  alice = await world.person('alice')
  clock = new ManualClock(Date.now())
  const online = await hookedGateway(world, alice, { clock })
  gateway = online.gateway
  api = online.api
  toBot = privateChatId(gateway.client.account)
  hook = await newHook(api, alice.id, 'text')
})
afterEach(() => world.stop())

const requestOf = (body: string): string =>
  [
    `POST /hooks/${secretOf(hook)} HTTP/1.1`,
    'Host: hooks.example.org',
    'Content-Type: text/plain',
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n')

async function connected(port = gateway.port): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  return socket
}

/** The status of the answer. */
async function posted(socket: Socket, body: string): Promise<number> {
  socket.write(requestOf(body))
  const [answer] = (await once(socket, 'data')) as [Buffer]
  return Number(answer.toString().split(' ', 2)[1])
}

/** Over a connection of its own, which it ends when it has read the answer. */
async function heard(body: string): Promise<void> {
  const socket = await connected()
  expect(await posted(socket, body)).toBe(200)
  socket.end()
  await once(socket, 'close')
  await endSeen()
}

/** The answer has come to the sender's machine, and the sender has not read it. */
async function reset(body: string): Promise<void> {
  const socket = await connected()
  expect(await posted(socket, body)).toBe(200)
  socket.resetAndDestroy()
  await endSeen()
}

/** What is asked behind the end of a connection is answered after it. */
async function endSeen(): Promise<void> {
  for (const _ of [1, 2]) await api.me()
}

/** Somebody on the way takes the answer, and cuts off the sender; to the gateway it says an orderly goodbye. */
async function swallowed(body: string): Promise<void> {
  const proxy = createServer(sender => {
    sender.on('error', () => undefined)
    const onward = connect(gateway.port, '127.0.0.1')
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
  sender.write(requestOf(body))
  expect((await cut)[0]).toMatchObject({ code: 'ECONNRESET' })
  proxy.close()
  await once(proxy, 'close')
  await endSeen()
}

async function pass(ms: number): Promise<void> {
  clock.leap(ms)
  await passTime(clock, gateway.client.whenOnline({ timeoutMs: 3_600_000 }))
}

async function texts(): Promise<string[]> {
  hook = await newHook(api, alice.id, 'text')
  await heard('end')
  await alice.hears('end')
  return alice.texts(toBot).slice(0, -1)
}

const run = (id: number | undefined, status: string) =>
  JSON.stringify({ object_kind: 'pipeline', object_attributes: { id, ref: 'main', status } })

const firing = JSON.stringify({
  version: '4',
  status: 'firing',
  groupKey: 'g',
  alerts: [{ status: 'firing', fingerprint: 'f', labels: { alertname: 'Down' } }],
})

test('[GATEWAY-10.6] a text whose answer was swallowed on the way, and which comes again within seconds, is written once', async () => {
  await swallowed('once')
  clock.advance(hookLimits.repeatWithinMs.text - 1)
  await heard('once')
  expect(await texts()).toEqual(['once'])
})

test('[GATEWAY-10.6] so is one whose sender reset the connection instead of reading, for ten minutes', async () => {
  await reset('once')
  await pass(hookLimits.unheardWithinMs / 2)
  await heard('once')
  expect(await texts()).toEqual(['once'])
})

test('[GATEWAY-10.6] after that time the same text is meant, however the first answer went', async () => {
  await swallowed('build done')
  await pass(hookLimits.repeatWithinMs.text)
  await heard('build done')
  await pass(60_000)
  await heard('build done')
  expect(await texts()).toEqual(['build done', 'build done', 'build done'])
})

test('[GATEWAY-10.6] who posts again over the same connection has heard the answer: the same text is meant', async () => {
  const socket = await connected()
  for (const _ of [1, 2, 3]) expect(await posted(socket, 'tick')).toBe(200)
  socket.destroy()
  expect(await texts()).toEqual(['tick', 'tick', 'tick'])
})

test('[GATEWAY-10.6] the same text over another connection while the first one stands is meant', async () => {
  const sockets = [await connected(), await connected()]
  for (const socket of sockets) expect(await posted(socket, 'tick')).toBe(200)
  for (const socket of sockets) socket.destroy()
  expect(await texts()).toEqual(['tick', 'tick'])
})

test('[GATEWAY-10.6] what is said every few seconds is not silent for ever', async () => {
  for (const _ of [1, 2, 3]) {
    await heard('tick')
    clock.advance(hookLimits.repeatWithinMs.text * 0.6)
  }
  expect(await texts()).toEqual(['tick', 'tick'])
})

test('[GATEWAY-10.6] a restart in between changes nothing of both', async () => {
  await swallowed('once')
  await world.closeGateway(gateway)
  ;({ gateway, api } = await onlineGateway(world, { HOOKS_URL }, { clock }))
  await heard('once')
  await pass(hookLimits.repeatWithinMs.text)
  await heard('once')
  expect(await texts()).toEqual(['once', 'once'])
})

test('[GATEWAY-10.6] the same run of a pipeline in the same state is one event, for ten minutes', async () => {
  hook = await newHook(api, alice.id, 'pipeline')
  for (const body of [run(1, 'failed'), run(2, 'canceled')]) {
    await swallowed(body)
    await pass(hookLimits.repeatWithinMs.run / 2)
    await heard(body)
  }
  await heard(run(3, 'failed'))
  expect((await texts()).map(text => [...text][0])).toEqual(['❌', '🚫', '❌'])
})

test('[GATEWAY-10.6] a run without a number is like a text', async () => {
  hook = await newHook(api, alice.id, 'pipeline')
  await swallowed(run(undefined, 'failed'))
  await heard(run(undefined, 'failed'))
  await pass(hookLimits.repeatWithinMs.text)
  await heard(run(undefined, 'failed'))
  expect(await texts()).toHaveLength(2)
})

test('[GATEWAY-10.6] alerts are known by their group and states, for a minute; and for ten after a reset', async () => {
  hook = await newHook(api, alice.id, 'alerts')
  await swallowed(firing)
  clock.advance(hookLimits.duplicateWithinMs - 1)
  await heard(firing)
  await pass(1)
  await reset(firing)
  await pass(hookLimits.unheardWithinMs / 2)
  await heard(firing)
  expect(await texts()).toHaveLength(2)
})
