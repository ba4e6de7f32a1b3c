// Posts in doubt about one group or branch: a pair of senders is heard once, and what follows knows what was written.
import type { CreatedHook, HookFormat } from '@postern/bot-api'
import { CodedError, hookLimits, privateChatId } from '@postern/protocol'
import { ManualClock, type Person, passTime, type TestGateway, World } from '@postern/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Api, onlineGateway } from './api.ts'
import { HOOKS_URL, hearsFrom, hookedGateway, newHook, post } from './hooks.ts'

let world: World
let alice: Person
let clock: ManualClock
let gateway: TestGateway
let api: Api
let hook: CreatedHook
beforeEach(async () => {
  world = await World.start()
  alice = await world.person('alice')
  clock = new ManualClock(Date.now())
  const online = await hookedGateway(world, alice, { clock })
  gateway = online.gateway
  api = online.api
})
afterEach(() => world.stop())

type Fields = Record<string, unknown>

const opened = async (format: HookFormat): Promise<void> => {
  hook = await newHook(api, alice.id, format)
}

/** What one of a pair of senders says about the group; the other says the same under its own address. */
const load = (states: string[], sender = 'a'): Fields => ({
  version: '4',
  status: states.includes('firing') ? 'firing' : 'resolved',
  groupKey: '{}:{alertname="Load"}',
  commonLabels: { alertname: 'Load' },
  externalURL: `http://${sender}`,
  alerts: states.map((status, at) => ({ status, fingerprint: `${at}`, labels: { instance: `node-${at}` } })),
})

const run = (id: number, status: string): Fields => ({
  object_kind: 'pipeline',
  object_attributes: { id, ref: 'main', status },
  project: { path_with_namespace: 'shop/cart' },
})

async function posted(json: Fields, headers: Record<string, string> = {}): Promise<number> {
  return (await passTime(clock, post(gateway, hook, { json, headers }))).status
}

/** The relay takes what is sent, and its answers are lost. */
async function inDoubt(json: Fields, headers: Record<string, string> = {}): Promise<void> {
  const pass = gateway.wire.incoming
  gateway.wire.incoming = () => []
  expect(await posted(json, headers)).toBe(502)
  gateway.wire.incoming = pass
}

/** Nothing reaches the relay. */
async function unsent(json: Fields): Promise<void> {
  gateway.wire.cut()
  expect(await posted(json)).toBe(502)
}

async function online(): Promise<void> {
  gateway.wire.mend()
  gateway.wire.drop()
  await passTime(clock, gateway.client.whenOnline({ timeoutMs: 3_600_000 }))
}

async function later(forMs: number): Promise<void> {
  clock.advance(forMs)
  await online()
}

async function restart(): Promise<void> {
  await world.closeGateway(gateway)
  const opened = await onlineGateway(world, { HOOKS_URL }, { clock })
  gateway = opened.gateway
  api = opened.api
}

/** The first words of all that the bot has written. */
async function written(): Promise<string[]> {
  const end = `end ${clock.nowMs()}`
  await passTime(clock, api.send(alice.id, { text: end }))
  await alice.hears(end)
  const texts = alice.texts(privateChatId(gateway.client.account)).filter(text => !text.startsWith('end'))
  return texts.map(text => text.split('\n', 1)[0] ?? '')
}

const FIRED = '🔥 Load: 1 срабатывание'
const GROWN = '🔥 Load: 2 срабатывания'
const OVER = '✅ Устранено: Load, 1 срабатывание'

describe('a pair of senders', () => {
  beforeEach(() => opened('alerts'))

  test('[GATEWAY-10.11] what arrived in doubt from one is known when the other says it, and the first adopts it', async () => {
    await inDoubt(load(['firing'], 'a'))
    await online()
    expect(await posted(load(['firing'], 'b'))).toBe(200)
    expect(await posted(load(['firing'], 'a'))).toBe(200)
    expect(await written()).toEqual([FIRED])
  })

  test('[GATEWAY-10.11] also long after, when both came while the relay was away, and over a restart', async () => {
    await inDoubt(load(['firing'], 'a'))
    await unsent(load(['firing'], 'b'))
    clock.advance(5 * hookLimits.duplicateWithinMs)
    gateway.wire.mend()
    await restart()
    expect(await posted(load(['firing'], 'b'))).toBe(200)
    await later(5 * hookLimits.duplicateWithinMs)
    expect(await posted(load(['firing'], 'a'))).toBe(200)
    expect(await written()).toEqual([FIRED])
  })

  test('[GATEWAY-10.11] the other is heard once, too, when it comes for the first time while the first still tries', async () => {
    await inDoubt(load(['firing'], 'a'))
    clock.advance(5 * hookLimits.duplicateWithinMs)
    await unsent(load(['firing'], 'a'))
    await online()
    expect(await posted(load(['firing'], 'b'))).toBe(200)
    expect(await written()).toEqual([FIRED])
  })

  test('[GATEWAY-10.11] what never arrived is written for who comes first, and once', async () => {
    await unsent(load(['firing'], 'a'))
    await online()
    expect(await posted(load(['firing'], 'b'))).toBe(200)
    await later(2 * hookLimits.duplicateWithinMs)
    expect(await posted(load(['firing'], 'a'))).toBe(200)
    expect(await written()).toEqual([FIRED])
  })

  test('[GATEWAY-10.11] a resolution in doubt is heard once, too', async () => {
    expect(await posted(load(['firing']))).toBe(200)
    await inDoubt(load(['resolved'], 'a'))
    await online()
    expect(await posted(load(['resolved'], 'b'))).toBe(200)
    expect(await posted(load(['resolved'], 'a'))).toBe(200)
    expect(await written()).toEqual([FIRED, OVER])
  })

  test('[GATEWAY-10.11] a repeat is a new message, also when nobody has asked what became of the one before', async () => {
    await inDoubt(load(['firing'], 'a'))
    await later(2 * hookLimits.duplicateWithinMs)
    expect(await posted(load(['firing'], 'b'))).toBe(200)
    expect(await written()).toEqual([FIRED, FIRED])
  })

  test('[GATEWAY-10.7] a key with another body is 400, also when both say the same about the group', async () => {
    await inDoubt(load(['firing'], 'a'), { 'idempotency-key': 'k' })
    await online()
    expect(await posted(load(['firing'], 'b'), { 'idempotency-key': 'k' })).toBe(400)
    expect(await posted(load(['firing'], 'a'), { 'idempotency-key': 'k' })).toBe(200)
    expect(await written()).toEqual([FIRED])
  })
})

describe('what comes after a post in doubt', () => {
  test('[GATEWAY-10.10] a resolution replies to the firing message that was in doubt, and the late retry changes nothing', async () => {
    await opened('alerts')
    await inDoubt(load(['firing']))
    const { id } = await hearsFrom(alice, FIRED)
    await online()
    expect(await posted(load(['resolved']))).toBe(200)
    expect((await hearsFrom(alice, OVER)).reply_to).toBe(id)
    expect(await posted(load(['firing']))).toBe(200)
    expect(await posted(load(['resolved'], 'b'))).toBe(200)
    expect(await written()).toEqual([FIRED, OVER])
  })

  test('[GATEWAY-10.10] over a restart, too', async () => {
    await opened('alerts')
    await inDoubt(load(['firing']))
    const { id } = await hearsFrom(alice, FIRED)
    await restart()
    expect(await posted(load(['resolved']))).toBe(200)
    expect((await hearsFrom(alice, OVER)).reply_to).toBe(id)
  })

  test('[GATEWAY-10.10] the newest that was written counts, not one that was not', async () => {
    await opened('alerts')
    await inDoubt(load(['firing']))
    const { id } = await hearsFrom(alice, FIRED)
    await unsent(load(['firing', 'firing']))
    await online()
    expect(await posted(load(['resolved', 'resolved']))).toBe(200)
    expect((await hearsFrom(alice, '✅')).reply_to).toBe(id)
  })

  test('[GATEWAY-10.10] of two in doubt the newer', async () => {
    await opened('alerts')
    await inDoubt(load(['firing']))
    await online()
    await inDoubt(load(['firing', 'firing']))
    const { id } = await hearsFrom(alice, GROWN)
    await online()
    expect(await posted(load(['resolved', 'resolved']))).toBe(200)
    expect((await hearsFrom(alice, '✅')).reply_to).toBe(id)
  })

  test('[GATEWAY-10.10] what was never written is no message to reply to; said late, it is one', async () => {
    await opened('alerts')
    await unsent(load(['firing']))
    await online()
    expect(await posted(load(['resolved']))).toBe(200)
    expect((await hearsFrom(alice, OVER)).reply_to).toBeUndefined()
    expect(await posted(load(['firing']))).toBe(200)
    const { id } = await hearsFrom(alice, FIRED)
    expect(await posted(load(['resolved']))).toBe(200)
    expect((await hearsFrom(alice, OVER)).reply_to).toBe(id)
  })

  test('[GATEWAY-10.13] a success mends a failure that was in doubt, and the late retry does not break it again', async () => {
    await opened('pipeline')
    await inDoubt(run(1, 'failed'))
    await online()
    expect(await posted(run(2, 'success'))).toBe(200)
    await hearsFrom(alice, '✅ Исправлено: shop/cart')
    expect(await posted(run(1, 'failed'))).toBe(200)
    expect(await posted(run(3, 'success'))).toBe(200)
    expect(await written()).toHaveLength(2)
  })
})

type Write = (change: (database: object) => unknown, durability?: string) => Promise<unknown>

/** As on a disk that is nearly full: what notes the next attempt finds no room, and the message behind it does. */
function failNextNote(): void {
  const { store } = (gateway.client as unknown as { core: { store: { write: Write } } }).core
  const write = store.write.bind(store)
  store.write = (change, durability) =>
    write(database => {
      const done = change(database)
      const noted = 'SELECT 1 FROM record WHERE key LIKE ?'
      if (!(database as { get: (sql: string, value: string) => unknown }).get(noted, 'attempt/%')) return done
      store.write = write
      throw new CodedError('storage-full')
    }, durability)
}

test.each<[HookFormat, Fields]>([
  ['text', { text: 'once' }],
  ['alerts', load(['firing'])],
  ['pipeline', run(7, 'failed')],
])(
  '[GATEWAY-10.5] a post to a hook of %s that was sent, and could not be noted, is written once',
  async (format, json) => {
    await opened(format)
    failNextNote()
    expect(await posted(json)).toBe(502)
    expect(await posted(json)).toBe(200)
    await api.send(alice.id, { text: 'the end' })
    await alice.hears('the end')
    const texts = alice.texts(privateChatId(gateway.client.account))
    expect(texts.slice(texts.findIndex(text => text.includes('the end')) - 1)).toHaveLength(2)
    expect(new Set(texts).size).toBe(texts.length)
  },
)
