// Posts in doubt about one group or branch: a pair of senders causes one message, and later posts know what was sent.
import type { HookFormat } from '@postern/bot-api'
import { CodedError, hookLimits } from '@postern/protocol'
import { passTime, type TestGateway } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { test as base } from './fixtures.ts'
import { backOnline, hearsFrom, hookedGateway, newHook, post } from './hooks.ts'

type Fields = Record<string, unknown>

/** The body of one sender of a pair; the other reports the same under its own address. */
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

const FIRED = '🔥 Load: 1 срабатывание'
const GROWN = '🔥 Load: 2 срабатывания'
const OVER = '✅ Устранено: Load, 1 срабатывание'

const test = base
  .extend('hooked', ({ world, alice, clock }) => hookedGateway(world, alice, { clock }))
  .extend('format', (): HookFormat => 'alerts')
  .extend('hook', ({ hooked, alice, format }) => newHook(hooked.api, alice.id, format))
  /** The status that the sender receives, however long that takes. */
  .extend('posted', ({ hooked, hook, clock }) => {
    return async (json: Fields, headers: Record<string, string> = {}): Promise<number> =>
      (await passTime(clock, post(hooked.gateway, hook, { json, headers }))).status
  })
  /** The relay accepts the messages, and its answers are lost. */
  .extend('inDoubt', ({ hooked, posted }) => {
    return async (json: Fields, headers: Record<string, string> = {}): Promise<void> => {
      const { wire } = hooked.gateway
      const pass = wire.incoming
      wire.incoming = () => []
      expect(await posted(json, headers)).toBe(502)
      wire.incoming = pass
    }
  })
  /** Nothing reaches the relay. */
  .extend('unsent', ({ hooked, posted }) => async (json: Fields): Promise<void> => {
    hooked.gateway.wire.cut()
    expect(await posted(json)).toBe(502)
  })
  .extend('reconnect', ({ hooked, clock }) => async (): Promise<void> => {
    hooked.gateway.wire.mend()
    hooked.gateway.wire.drop()
    await backOnline(clock, hooked.gateway)
  })
  .extend('later', ({ clock, reconnect }) => async (forMs: number): Promise<void> => {
    clock.advance(forMs)
    await reconnect()
  })
  /** The first words of every message that the bot has sent. */
  .extend('written', ({ hooked, alice, clock }) => async (): Promise<string[]> => {
    const end = `end ${clock.nowMs()}`
    await passTime(clock, hooked.api.send(alice.id, { text: end }))
    await alice.hears(end)
    const texts = alice.texts(hooked.chatId).filter(text => !text.startsWith('end'))
    return texts.map(text => text.split('\n', 1)[0] ?? '')
  })
const testOfPipelines = test.extend('format', (): HookFormat => 'pipeline')

describe('a pair of senders', () => {
  test('[GATEWAY-10.11] what arrived in doubt from one is known when the other says it, and the first adopts it', async ({
    posted,
    reconnect,
    inDoubt,
    written,
  }) => {
    await inDoubt(load(['firing'], 'a'))
    await reconnect()
    expect(await posted(load(['firing'], 'b'))).toBe(200)
    expect(await posted(load(['firing'], 'a'))).toBe(200)
    expect(await written()).toEqual([FIRED])
  })

  test('[GATEWAY-10.11] also long after, when both came while the relay was away, and over a restart', async ({
    clock,
    hooked,
    posted,
    inDoubt,
    unsent,
    later,
    written,
  }) => {
    await inDoubt(load(['firing'], 'a'))
    await unsent(load(['firing'], 'b'))
    clock.advance(5 * hookLimits.duplicateWithinMs)
    hooked.gateway.wire.mend()
    await hooked.restart()
    expect(await posted(load(['firing'], 'b'))).toBe(200)
    await later(5 * hookLimits.duplicateWithinMs)
    expect(await posted(load(['firing'], 'a'))).toBe(200)
    expect(await written()).toEqual([FIRED])
  })

  test('[GATEWAY-10.11] the other is heard once, too, when it comes for the first time while the first still tries', async ({
    clock,
    posted,
    reconnect,
    inDoubt,
    unsent,
    written,
  }) => {
    await inDoubt(load(['firing'], 'a'))
    clock.advance(5 * hookLimits.duplicateWithinMs)
    await unsent(load(['firing'], 'a'))
    await reconnect()
    expect(await posted(load(['firing'], 'b'))).toBe(200)
    expect(await written()).toEqual([FIRED])
  })

  test('[GATEWAY-10.11] what never arrived is written for who comes first, and once', async ({
    posted,
    reconnect,
    unsent,
    later,
    written,
  }) => {
    await unsent(load(['firing'], 'a'))
    await reconnect()
    expect(await posted(load(['firing'], 'b'))).toBe(200)
    await later(2 * hookLimits.duplicateWithinMs)
    expect(await posted(load(['firing'], 'a'))).toBe(200)
    expect(await written()).toEqual([FIRED])
  })

  test('[GATEWAY-10.11] a resolution in doubt is heard once, too', async ({ posted, reconnect, inDoubt, written }) => {
    expect(await posted(load(['firing']))).toBe(200)
    await inDoubt(load(['resolved'], 'a'))
    await reconnect()
    expect(await posted(load(['resolved'], 'b'))).toBe(200)
    expect(await posted(load(['resolved'], 'a'))).toBe(200)
    expect(await written()).toEqual([FIRED, OVER])
  })

  test('[GATEWAY-10.11] a repeat is a new message, also when nobody has asked what became of the one before', async ({
    posted,
    inDoubt,
    later,
    written,
  }) => {
    await inDoubt(load(['firing'], 'a'))
    await later(2 * hookLimits.duplicateWithinMs)
    expect(await posted(load(['firing'], 'b'))).toBe(200)
    expect(await written()).toEqual([FIRED, FIRED])
  })

  test('[GATEWAY-10.7] a key with another body is 400, also when both say the same about the group', async ({
    posted,
    reconnect,
    inDoubt,
    written,
  }) => {
    await inDoubt(load(['firing'], 'a'), { 'idempotency-key': 'k' })
    await reconnect()
    expect(await posted(load(['firing'], 'b'), { 'idempotency-key': 'k' })).toBe(400)
    expect(await posted(load(['firing'], 'a'), { 'idempotency-key': 'k' })).toBe(200)
    expect(await written()).toEqual([FIRED])
  })
})

describe('what comes after a post in doubt', () => {
  test('[GATEWAY-10.10] a resolution replies to the firing message that was in doubt, and the late retry changes nothing', async ({
    alice,
    posted,
    reconnect,
    inDoubt,
    written,
  }) => {
    await inDoubt(load(['firing']))
    const { id } = await hearsFrom(alice, FIRED)
    await reconnect()
    expect(await posted(load(['resolved']))).toBe(200)
    expect((await hearsFrom(alice, OVER)).reply_to).toBe(id)
    expect(await posted(load(['firing']))).toBe(200)
    expect(await posted(load(['resolved'], 'b'))).toBe(200)
    expect(await written()).toEqual([FIRED, OVER])
  })

  test('[GATEWAY-10.10] over a restart, too', async ({ alice, hooked, posted, inDoubt }) => {
    await inDoubt(load(['firing']))
    const { id } = await hearsFrom(alice, FIRED)
    await hooked.restart()
    expect(await posted(load(['resolved']))).toBe(200)
    expect((await hearsFrom(alice, OVER)).reply_to).toBe(id)
  })

  test('[GATEWAY-10.10] the newest that was written counts, not one that was not', async ({
    alice,
    posted,
    reconnect,
    inDoubt,
    unsent,
  }) => {
    await inDoubt(load(['firing']))
    const { id } = await hearsFrom(alice, FIRED)
    await unsent(load(['firing', 'firing']))
    await reconnect()
    expect(await posted(load(['resolved', 'resolved']))).toBe(200)
    expect((await hearsFrom(alice, '✅')).reply_to).toBe(id)
  })

  test('[GATEWAY-10.10] of two in doubt the newer', async ({ alice, posted, reconnect, inDoubt }) => {
    await inDoubt(load(['firing']))
    await reconnect()
    await inDoubt(load(['firing', 'firing']))
    const { id } = await hearsFrom(alice, GROWN)
    await reconnect()
    expect(await posted(load(['resolved', 'resolved']))).toBe(200)
    expect((await hearsFrom(alice, '✅')).reply_to).toBe(id)
  })

  test('[GATEWAY-10.10] what was never written is no message to reply to; said late, it is one', async ({
    alice,
    posted,
    reconnect,
    unsent,
  }) => {
    await unsent(load(['firing']))
    await reconnect()
    expect(await posted(load(['resolved']))).toBe(200)
    expect((await hearsFrom(alice, OVER)).reply_to).toBeUndefined()
    expect(await posted(load(['firing']))).toBe(200)
    const { id } = await hearsFrom(alice, FIRED)
    expect(await posted(load(['resolved']))).toBe(200)
    expect((await hearsFrom(alice, OVER)).reply_to).toBe(id)
  })

  testOfPipelines(
    '[GATEWAY-10.13] a success mends a failure that was in doubt, and the late retry does not break it again',
    async ({ alice, posted, reconnect, inDoubt, written }) => {
      await inDoubt(run(1, 'failed'))
      await reconnect()
      expect(await posted(run(2, 'success'))).toBe(200)
      await hearsFrom(alice, '✅ Исправлено: shop/cart')
      expect(await posted(run(1, 'failed'))).toBe(200)
      expect(await posted(run(3, 'success'))).toBe(200)
      expect(await written()).toHaveLength(2)
    },
  )
})

type Write = (change: (database: object) => unknown, durability?: string) => Promise<unknown>

/** As on a nearly full disk: the note of the next attempt, or of its end, finds no space, and the message does. */
function failNextNote({ client }: TestGateway, kind = 'attempt'): void {
  const { store } = (client as unknown as { core: { store: { write: Write } } }).core
  const write = store.write.bind(store)
  store.write = (change, durability) =>
    write(database => {
      const done = change(database)
      const noted = 'SELECT 1 FROM record WHERE key LIKE ?'
      if (!(database as { get: (sql: string, value: string) => unknown }).get(noted, `${kind}/%`)) return done
      store.write = write
      throw new CodedError('storage-full')
    }, durability)
}

test.for<[HookFormat, Fields]>([
  ['text', { text: 'once' }],
  ['alerts', load(['firing'])],
  ['pipeline', run(7, 'failed')],
])(
  '[GATEWAY-10.5] a post to a hook of %s that was sent, and could not be noted, is written once',
  async ([format, json], { clock, hooked, alice }) => {
    const hook = await newHook(hooked.api, alice.id, format)
    failNextNote(hooked.gateway)
    for (const status of [502, 200])
      expect(await passTime(clock, post(hooked.gateway, hook, { json }))).toMatchObject({ status })
    await hooked.api.send(alice.id, { text: 'the end' })
    await alice.hears('the end')
    const texts = alice.texts(hooked.chatId)
    expect(texts.slice(texts.findIndex(text => text.includes('the end')) - 1)).toHaveLength(2)
    expect(new Set(texts).size).toBe(texts.length)
  },
)

test.for<[HookFormat, Fields, string]>([
  ['text', { text: 'once' }, 'answered'],
  ['alerts', load(['firing']), 'group'],
  ['pipeline', run(7, 'failed'), 'run'],
])(
  '[GATEWAY-10.26] a post to a hook of %s whose message the relay has is 200 without room for its end, and a retry finds it',
  async ([format, json, end], { clock, hooked, alice }) => {
    const hook = await newHook(hooked.api, alice.id, format)
    failNextNote(hooked.gateway, end)
    expect(await passTime(clock, post(hooked.gateway, hook, { json }))).toMatchObject({ status: 200 })
    await hooked.restart()
    expect(await passTime(clock, post(hooked.gateway, hook, { json }))).toMatchObject({ status: 200 })
    await hooked.api.send(alice.id, { text: 'the end' })
    await alice.hears('the end')
    const texts = alice.texts(hooked.chatId)
    expect(new Set(texts).size).toBe(texts.length)
  },
)
