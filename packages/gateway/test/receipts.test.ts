// Receipts as updates: for named readers that ask for them, once for each message and person, and never in the queue.
import type { Message, Update } from '@postern/bot-api'
import { gatewayLimits, privateChatId } from '@postern/protocol'
import type { TestPerson } from '@postern/testkit'
import { EventStream } from '@postern/testkit/event-stream'
import { expect } from 'vitest'
import { type Api, onlineGateway, SOON } from './api.ts'
import { test as base } from './fixtures.ts'
import { readers, reading } from './reading.ts'
import { grouped, sees } from './talking.ts'

const RECEIPTS = 'reader=r&types=delivered,read'

/** `delivered one alice`. */
function toldOf(update: Update, messages: readonly Message[]): string {
  const receipt = update.type === 'delivered' ? update.delivered : update.type === 'read' ? update.read : undefined
  const message = messages.find(({ id }) => id === receipt?.message_id)
  return `${update.type} ${message?.text} ${receipt?.from.name}`
}

/** The next ones of the reader, each confirmed. */
async function next(api: Api, count: number): Promise<Update[]> {
  const told: Update[] = []
  while (told.length < count) {
    const [first] = await api.updates(`${RECEIPTS}&offset=${(told.at(-1)?.id ?? 0) + 1}&timeout=60&limit=1`)
    if (first) told.push(first)
  }
  await api.ok('POST', '/v1/readers/r', { offset: (told.at(-1)?.id ?? 0) + 1 })
  return told
}

const keptIn = (gateway: { client: { journal: { store: { all: (sql: string) => unknown[] } } } }) =>
  gateway.client.journal.store.all('SELECT 1 FROM receipt_event').length

const test = base
  .extend('reading', ({ world, alice }) => reading(world, alice))
  .extend('sent', ({ reading: { api } }) => async (chat: string, text: string, to: TestPerson[]): Promise<Message> => {
    const message = (await api.send(chat, { text })).body as Message
    for (const person of to) await sees(person, message)
    return message
  })

test('[GATEWAY-5.23] a reader that asks for receipts has each once, and no other reader and not the queue has one', async ({
  alice,
  reading: { gateway, api, say },
  sent,
}) => {
  const bot = privateChatId(gateway.client.account)
  await api.updates('reader=plain')
  await sent(alice.id, 'before', [alice])
  await alice.client.messages.markRead(bot)
  const path = `/v1/chats/${alice.id}/messages`
  await expect.poll(async () => (await api.ok<Message[]>('GET', path))[0]?.status, SOON).toBe('read')
  // Nobody asked for them.
  expect(keptIn(gateway)).toBe(0)
  expect(await api.updates(RECEIPTS)).toEqual([])
  const one = await sent(alice.id, 'one', [alice])
  const first = await next(api, 1)
  const two = await sent(alice.id, 'two', [alice])
  await alice.client.messages.markRead(bot)
  await alice.client.messages.markRead(bot)
  const told = [...first, ...(await next(api, 3))].map(update => toldOf(update, [one, two]))
  expect(told.toSorted()).toEqual(['delivered one alice', 'delivered two alice', 'read one alice', 'read two alice'])
  const three = await sent(alice.id, 'three', [alice])
  expect((await next(api, 1)).map(update => toldOf(update, [three]))).toEqual(['delivered three alice'])
  await say('hello')
  const types = (updates: Update[]) => updates.map(({ type }) => type)
  expect(types(await api.updates())).toEqual(['chat', 'message'])
  expect(types(await api.updates('reader=plain'))).toEqual(['message'])
})

test('[GATEWAY-5.23] in a group each person counts, and a stream sends receipts between updates, in order', async ({
  alice,
  bob,
  reading: { gateway, api },
  sent,
}) => {
  const { path, chat } = await grouped(api, [alice, bob])
  const stream = await EventStream.open(gateway, 'reader=r&types=message,delivered,read')
  const one = await sent(path.replace('/v1/chats/', ''), 'one', [alice, bob])
  const told = [await stream.update(), await stream.update()]
  expect(told.map(update => toldOf(update, [one])).toSorted()).toEqual(['delivered one alice', 'delivered one bob'])
  await alice.client.messages.markRead(chat)
  const read = await stream.update()
  expect(toldOf(read, [one])).toBe('read one alice')
  await bob.say(chat, 'mine')
  const mine = await stream.update()
  expect(mine).toMatchObject({ type: 'message', message: { text: 'mine' } })
  const ids = [...told, read, mine].map(({ id }) => id)
  expect(ids).toEqual(ids.toSorted((one, other) => one - other))
  stream.leave()
})

test('[GATEWAY-5.23] they wait across a restart, are confirmed like updates, and are gone with the reader', async ({
  world,
  alice,
  reading: { gateway, api },
  sent,
}) => {
  await api.updates(RECEIPTS)
  const one = await sent(alice.id, 'one', [alice])
  await expect.poll(() => keptIn(gateway), SOON).toBe(1)
  await world.closeGateway(gateway)
  const again = await onlineGateway(world)
  const [waiting] = await again.api.updates(RECEIPTS)
  expect(waiting && toldOf(waiting, [one])).toBe('delivered one alice')
  expect(await readers(again.api)).toMatchObject([{ name: 'r', pending: 1 }])
  await again.api.ok('POST', '/v1/readers/r', { offset: (waiting?.id ?? 0) + 1 })
  expect(keptIn(again.gateway)).toBe(0)
  await alice.client.messages.markRead(privateChatId(gateway.client.account))
  await expect.poll(() => keptIn(again.gateway), SOON).toBe(1)
  await again.api.ok('DELETE', '/v1/readers/r')
  expect(keptIn(again.gateway)).toBe(0)
})

test('[GATEWAY-5.24] more receipts than are kept drop none of the updates of the queue', async ({
  clock,
  world,
  alice,
}) => {
  const { gateway, api, say } = await reading(world, alice, { clock })
  await api.updates(RECEIPTS)
  await say('hello')
  const { journal, elapsed } = gateway.client
  const flood = gatewayLimits.updatesKeptMax + 50
  await journal.store.write(database => {
    const json = JSON.stringify({
      type: 'read',
      chat_id: alice.id,
      read: { message_id: 'x', from: { id: alice.id, name: 'alice' } },
    })
    for (let at = 1; at <= flood; at++)
      database.run('INSERT INTO receipt_event VALUES (?, ?, ?)', journal.newest() + at, elapsed.nowMs(), json)
    database.run("UPDATE sqlite_sequence SET seq = seq + ? WHERE name = 'journal'", flood)
  })
  await say('later')
  await expect.poll(() => clock.isAwaited(gatewayLimits.updatesSweepAfterMs), SOON).toBe(true)
  clock.advance(gatewayLimits.updatesSweepAfterMs)
  await expect.poll(async () => (await readers(api))[0]?.dropped, SOON).toBeGreaterThan(0)
  expect(keptIn(gateway)).toBeLessThanOrEqual(gatewayLimits.updatesKeptMax)
  expect((await api.updates()).map(({ type }) => type)).toEqual(['chat', 'message', 'message'])
  expect(await (await api.get('/v1/metrics')).text()).toContain('\npostern_updates_dropped_total 0\n')
})

test('[GATEWAY-5.23] the queue without a name does not have them: 400', async ({ reading: { api } }) => {
  for (const types of ['read', 'message,delivered'])
    expect(await api.call('GET', `/v1/updates?types=${types}`)).toEqual({
      status: 400,
      body: { code: 'bad_request', error: 'types: must not contain delivered or read without a reader.' },
    })
})
