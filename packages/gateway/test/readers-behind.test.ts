// Readers that fall behind: however long and however far, the database keeps a bounded number of updates.
import { once } from 'node:events'
import { connect } from 'node:net'
import { clientLimits, gatewayLimits } from '@postern/protocol'
import type { ManualClock, TestGateway } from '@postern/testkit'
import { EventStream } from '@postern/testkit/event-stream'
import { expect, onTestFinished } from 'vitest'
import { SOON } from './api.ts'
import { test as base } from './fixtures.ts'
import { readers, reading, texts } from './reading.ts'

const DAY_MS = 86_400_000
/** Entries are removed that many at a time. */
const MORE = clientLimits.journalDroppedAtOnce

const test = base.extend('reading', ({ clock, world, alice }) => reading(world, alice, { clock }))

/** As many as are kept, and some more. */
async function flood({ client }: TestGateway): Promise<void> {
  const { journal, elapsed, account } = client
  await journal.store.write(database => {
    const json = JSON.stringify({ type: 'expired', chat_id: account, expired: [] })
    for (let at = 0; at < gatewayLimits.updatesKeptMax + MORE; at++)
      database.run('INSERT INTO journal (ts, chat_id, json) VALUES (?, ?, ?)', elapsed.nowMs(), account, json)
  })
}

const kept = ({ client }: TestGateway) =>
  client.journal.store.get<{ count: number }>('SELECT count(*) AS count FROM journal')?.count

async function sweep(clock: ManualClock): Promise<void> {
  await expect.poll(() => clock.isAwaited(gatewayLimits.updatesSweepAfterMs), SOON).toBe(true)
  clock.advance(gatewayLimits.updatesSweepAfterMs)
}

test('[GATEWAY-5.25] of more than 10,000 a reader loses the oldest, the database keeps no more, and others lose nothing', async ({
  clock,
  reading: { gateway, api, say },
}) => {
  for (const name of ['behind', 'live']) await api.updates(`reader=${name}`)
  await flood(gateway)
  await api.ok('POST', '/v1/readers/live', { offset: gateway.client.journal.newest() + 1 })
  await say('newest')
  await sweep(clock)
  await expect.poll(() => kept(gateway), SOON).toBe(gatewayLimits.updatesKeptMax)
  const [behind, live] = await readers(api)
  expect(behind).toMatchObject({ name: 'behind', pending: gatewayLimits.updatesKeptMax, dropped: MORE + 1 })
  expect(live).toMatchObject({ name: 'live', pending: 1, dropped: 0 })
  expect(texts(await api.updates('reader=live'))).toEqual(['newest'])
})

test('[GATEWAY-5.25] a stream whose consumer accepts nothing keeps no update in the database', async ({
  clock,
  reading: { gateway, api, say },
}) => {
  await api.updates('reader=stuck')
  await flood(gateway)
  const stuck = connect(gateway.port, '127.0.0.1').pause()
  onTestFinished(() => void stuck.destroy())
  await once(stuck, 'connect')
  stuck.write(
    `GET /v1/updates/stream?reader=stuck HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.token}\r\n\r\n`,
  )
  const streams = async () => /postern_update_streams (\d+)/.exec(await (await api.get('/v1/metrics')).text())?.[1]
  await expect.poll(streams, SOON).toBe('1')
  const live = await EventStream.open(gateway, 'reader=live&types=message')
  await say('for others')
  expect(texts([await live.update()])).toEqual(['for others'])
  live.leave()
  await sweep(clock)
  await expect.poll(() => kept(gateway), SOON).toBeLessThanOrEqual(gatewayLimits.updatesKeptMax)
  clock.leap(DAY_MS + 120_000)
  await expect.poll(() => kept(gateway), SOON).toBe(0)
})
