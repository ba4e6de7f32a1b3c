// Durable appends: the relay's store and its wire compared with the design that the store grew from.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { groupIdFromBytes } from '@postern/protocol'
import { inTurn, median, ratePerSec } from '../figures.ts'
import { Child } from '../processes/child.ts'
import { inScratch } from '../scratch.ts'
import type { Row } from '../table.ts'
import { type Filled, GROUPS, openFilledStore } from './filled-store.ts'
import { envelope, messageIdOf, newAccount } from './people.ts'
import { PrototypeStore } from './prototype-store.ts'
import { WireClient } from './wire-client.ts'

const ROUNDS = 5
const IN_FLIGHT = 32
/** Members of a group, and how many appends one round has. */
const sizes: [members: number, count: number][] = [
  [2, 6000],
  [20, 3000],
  [200, 500],
]

export async function measureAppends(): Promise<Row[]> {
  const rows: Row[] = []
  for (const [members, count] of sizes) rows.push(...(await inScratch(at => measureSize(at, { members, count }))))
  return rows
}

type Size = { members: number; count: number }

async function measureSize(directory: string, { members, count }: Size): Promise<Row[]> {
  const filled = await openFilledStore(join(directory, 'store'), members)
  const prototype = await openPrototype(join(directory, 'prototype.db'), members)
  const wire = await openWire(join(directory, 'wire'), members)
  const rates = { store: [] as number[], wire: [] as number[], prototype: [] as number[] }
  const load = { count, atOnce: IN_FLIGHT }
  await inTurn(ROUNDS, [
    async () => void rates.store.push(await ratePerSec(at => appendTo(filled, at), load)),
    async () => void rates.prototype.push(await ratePerSec(at => prototype.append(at), load)),
    async () => void rates.wire.push(await ratePerSec(at => wire.append(at), load)),
  ])
  await filled.store.close()
  prototype.close()
  await wire.close()
  const peer = { what: 'prototype', figure: median(rates.prototype), better: 'more' as const }
  return [
    { what: `appends to the store, ${members} members`, ours: median(rates.store), unit: '/s', peer },
    { what: `appends over the wire, ${members} members`, ours: median(rates.wire), unit: '/s', peer },
  ]
}

async function appendTo({ store, sender, groups }: Filled, at: number): Promise<void> {
  const group = groups[at % GROUPS]
  if (!group) throw new RangeError('there is no such group')
  const payload = envelope(group, { kind: 'message', epoch: 1 })
  const message = messageIdOf(payload)
  const delivery = { kind: 'message' as const }
  const { accepted } = await store.append({
    group,
    epoch: 1,
    sender: sender.id,
    message,
    payload,
    delivery,
    nowMs: Date.now(),
  })
  if (!accepted) throw new Error('the store refused an append')
}

/** With the same ids and payloads as the store, so that both do the same work before they write. */
async function openPrototype(path: string, members: number) {
  const store = new PrototypeStore(path)
  const groups = Array.from({ length: GROUPS }, () => groupIdFromBytes(randomBytes(16)))
  for (const group of groups)
    await store.createGroup(
      group,
      Array.from({ length: members }, () => newAccount().id),
    )
  return {
    append: async (at: number) => {
      const group = groups[at % GROUPS]
      if (!group) throw new RangeError('there is no such group')
      const payload = envelope(group, { kind: 'message', epoch: 1 })
      await store.append(group, { message: messageIdOf(payload), payload })
    },
    close: () => store.close(),
  }
}

/** A relay in its own process on a prepared store, and one connection to it. */
async function openWire(directory: string, members: number) {
  const { store, sender, groups } = await openFilledStore(directory, members)
  await store.close()
  const relay = await Child.start<{ url: string }>(new URL('../processes/relay.ts', import.meta.url), { directory })
  const client = await WireClient.open(relay.state.url, sender)
  return {
    append: async (at: number) => {
      const group = groups[at % GROUPS]
      if (!group) throw new RangeError('there is no such group')
      await client.append(envelope(group, { kind: 'message', epoch: 1 }))
    },
    close: async () => {
      client.close()
      await relay.stop()
    },
  }
}
