// Deliveries to connected people while a push service hangs: 10,000 devices are away, in groups of 1,000.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type AccountId, type GroupId, groupIdFromBytes, pushLimits } from '@postern/protocol'
import { findPostgres, POSTGRES_MISSING, PostgresServer } from '@postern/testkit/postgres'
import { PushService } from '@postern/testkit/push-service'
import { envelope, newAccount } from '../appends/people.ts'
import { WireClient } from '../appends/wire-client.ts'
import { percentile } from '../figures.ts'
import { Child } from '../processes/child.ts'
import { inScratch } from '../scratch.ts'
import type { Row } from '../table.ts'

const DEVICES = 10_000
const GROUP = 999
const AT_ONCE = 50
const DELIVERIES = 400
const EVERY_MS = 5
/** Marked messages to the large groups, while deliveries are measured. */
const NOISE_EVERY_MS = 100

type Attention = 'none' | 'message'
type Measured = { p50: number; p99: number; cpuMs: number; rssMib: number }

export async function measurePush(): Promise<Row[]> {
  const rows = await measureStore('SQLite')
  if (findPostgres() === undefined) {
    console.error(POSTGRES_MISSING)
    return rows
  }
  await using server = await PostgresServer.start()
  return [...rows, ...(await measureStore('PostgreSQL', await server.createDatabase()))]
}

const measureStore = (store: string, database?: string): Promise<Row[]> =>
  inScratch(async directory => {
    const service = await PushService.start()
    service.reply = () => 'hang'
    const limits = { newPeoplePerDay: 1e6, pushHosts: [service.origin] }
    const settings = { directory: join(directory, 'relay'), ...(database !== undefined && { database }), ...limits }
    const relay = await Child.start<{ url: string }>(new URL('../processes/relay.ts', import.meta.url), settings)
    const { url } = relay.state
    const { speaker, groups } = await crowd(url, service)
    const pair = await chat(url)
    const measure = (attention: Attention) => measured({ relay, pair, speaker, groups }, attention)
    await measure('none')
    const sides = { none: [] as Measured[], message: [] as Measured[] }
    for (const side of ['none', 'message', 'message', 'none'] as const) {
      sides[side].push(await measure(side))
      // Requests of the round before end.
      await wait(pushLimits.answerWithinMs)
    }
    const asked = service.received.length
    pair.stop()
    await relay.stop()
    await service.close()
    const best = (side: Attention, of: keyof Measured) => Math.min(...sides[side].map(each => each[of]))
    const row = (what: string, of: keyof Measured, unit: string): Row => ({
      what: `${what}, ${store}, ${DEVICES} devices away, push service hangs`,
      ours: best('message', of),
      unit,
      peer: { what: 'the same without pushes', figure: best('none', of), better: 'less' },
    })
    return [
      row('delivery p50', 'p50', 'ms'),
      row('delivery p99', 'p99', 'ms'),
      row('CPU of relay', 'cpuMs', 'ms/delivery'),
      row('RSS of relay', 'rssMib', 'MiB'),
      { what: `requests to the push service that hangs, ${store}`, ours: asked, unit: '' },
    ]
  })

/** Registers the devices, subscribes them and lets them go. */
async function crowd(url: string, service: PushService): Promise<{ speaker: WireClient; groups: GroupId[] }> {
  const ids: AccountId[] = []
  let begun = 0
  const worker = async (): Promise<void> => {
    while (begun++ < DEVICES) {
      const account = newAccount()
      const client = await WireClient.open(url, account, { intent: 'register' })
      await client.call('setPush', service.subscribe().subscription)
      client.close()
      ids.push(account.id)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  const speaker = await WireClient.open(url, newAccount(), { intent: 'register' })
  const groups: GroupId[] = []
  for (let at = 0; at < ids.length; at += GROUP) groups.push(await newGroup(speaker, ids.slice(at, at + GROUP)))
  return { speaker, groups }
}

async function newGroup(creator: WireClient, add: AccountId[]): Promise<GroupId> {
  const group = groupIdFromBytes(randomBytes(16))
  await creator.call('createGroup', { group, continues: undefined })
  const payload = envelope(group, { kind: 'commit', epoch: 0 })
  await creator.call('commit', { payload, add, remove: [], welcome: randomBytes(80) })
  return group
}

type ChatPair = { deliver: () => Promise<number>; stop: () => void }

/** Two connected people; a delivery is the time from the send until the other one has it. */
async function chat(url: string): Promise<ChatPair> {
  let arrived = Promise.withResolvers<void>()
  const reader = newAccount()
  const bob = await WireClient.open(url, reader, {
    intent: 'register',
    onEntries: () => {
      bob.acknowledge()
      arrived.resolve()
    },
  })
  const alice = await WireClient.open(url, newAccount(), { intent: 'register' })
  const welcomed = arrived.promise
  await bob.follow()
  const group = await newGroup(alice, [reader.id])
  await welcomed
  const deliver = async (): Promise<number> => {
    arrived = Promise.withResolvers<void>()
    const startedMs = performance.now()
    await Promise.all([alice.append(envelope(group, { kind: 'message', epoch: 1 })), arrived.promise])
    return performance.now() - startedMs
  }
  const stop = (): void => {
    for (const client of [alice, bob]) client.close()
  }
  return { deliver, stop }
}

type Scene = { relay: Child; pair: ChatPair; speaker: WireClient; groups: GroupId[] }

async function measured({ relay, pair, speaker, groups }: Scene, attention: Attention): Promise<Measured> {
  const state = { isOver: false }
  const noise = async (): Promise<void> => {
    for (let at = 0; !state.isOver; at++) {
      const payload = envelope(groups[at % groups.length] as GroupId, { kind: 'message', epoch: 1 })
      const preview = attention === 'none' ? undefined : randomBytes(200)
      await speaker.call('appendMarked', { payload, to: undefined, leave: false, attention, preview })
      await wait(NOISE_EVERY_MS)
    }
  }
  const over = noise()
  const before = await relay.usage()
  const times: number[] = []
  for (let at = 0; at < DELIVERIES; at++) {
    times.push(await pair.deliver())
    await wait(EVERY_MS)
  }
  const cpuMs = ((await relay.usage()).cpuMs - before.cpuMs) / DELIVERIES
  state.isOver = true
  await over
  const rssMib = await relay.ask<number>('settledRssMib')
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99), cpuMs, rssMib }
}
