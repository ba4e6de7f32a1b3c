// A store with history, for tests that move it:
// chats of all kinds, people who joined, left and were removed, pending data.
import { randomBytes } from 'node:crypto'
import type { AccountId, BlobId, GroupId } from '@postern/protocol'
import Database from 'better-sqlite3'
import type { RelayStore } from '../src/store/relay-store.ts'
import { acknowledged, DAY_MS, World } from './contract/world.ts'
import { idOf } from './test-client.ts'

const hash = (): Uint8Array => randomBytes(32)
const blobId = (): BlobId => randomBytes(16).toString('hex') as BlobId

export type Lived = { people: AccountId[]; chats: GroupId[] }

/** Like a relay after some days: some data is swept, some is partly used, some was never touched. */
export async function live(store: RelayStore): Promise<Lived> {
  const world = new World(store)
  const people = await world.crowd(6)
  const [alice, bob, carol, dora] = people as [AccountId, AccountId, AccountId, AccountId, ...AccountId[]]
  const old = await world.chat(alice, bob)
  for (let at = 0; at < 5; at++) await world.send(old, { sender: alice })
  world.nowMs += 40 * DAY_MS
  const chats = [await world.chat(alice, bob), await world.chat(carol, alice, bob, dora), await world.chat(dora, carol)]
  await changeMembers(world, chats[1] as GroupId, { carol, bob, dora })
  await world.continuation(chats[1] as GroupId, alice)
  // A member alone in a chat, whose messages are in no mailbox.
  const alone = await world.chat(bob, carol)
  await world.commit(alone, { sender: bob, epoch: 1, remove: [carol] })
  for (let at = 0; at < 3; at++) await world.send(alone, { sender: bob, epoch: 2 })
  for (let at = 0; at < 30; at++) {
    await world.send(chats[0] as GroupId, { sender: at % 3 === 0 ? bob : alice, payload: randomBytes(10 + at * 50) })
    await world.send(chats[2] as GroupId, { sender: carol })
  }
  await markOne(world, { group: chats[0] as GroupId, sender: alice, reader: bob })
  await keepAround(world, people)
  await world.sweep()
  return { people, chats }
}

type Members = Record<'carol' | 'bob' | 'dora', AccountId>

async function changeMembers(world: World, group: GroupId, { carol, bob, dora }: Members): Promise<void> {
  await world.commit(group, { sender: carol, epoch: 1, remove: [bob] })
  await world.commit(group, { sender: carol, epoch: 2, add: [bob] })
  // Left, and not removed by a commit yet.
  await world.send(group, { sender: dora, epoch: 3, delivery: { kind: 'leave' } })
  await world.send(group, { sender: carol, epoch: 3, delivery: { kind: 'direct', to: bob } })
}

/** An entry for attention, a device that is pushed to, and the relay's key for that. */
async function markOne(world: World, at: { group: GroupId; sender: AccountId; reader: AccountId }): Promise<void> {
  const { store, nowMs } = world
  const { group, sender, reader } = at
  await store.push.keyPair(() => ({ privateKey: randomBytes(32), publicKey: randomBytes(65) }))
  const keys = { endpoint: 'https://push.example/1', p256dh: randomBytes(65), auth: randomBytes(16), muted: [group] }
  await store.push.set({ device: 'one', account: reader, serial: 7 }, { ...keys, nowMs })
  const payload = randomBytes(40)
  const sent = {
    group,
    epoch: 1,
    sender,
    message: idOf(payload),
    payload,
    delivery: { kind: 'message' } as const,
    nowMs,
  }
  await store.append({ ...sent, attention: { kind: 'mention', preview: randomBytes(30) } })
}

async function keepAround(world: World, people: readonly AccountId[]): Promise<void> {
  const { store, nowMs } = world
  const [alice, bob, carol, dora] = people as [AccountId, AccountId, AccountId, AccountId]
  for (const account of people) {
    const packages = { oneTime: [randomBytes(50), randomBytes(60)], lastResort: randomBytes(40), replace: false, nowMs }
    await store.publishKeyPackages(account, packages)
    await store.noteSeen(account, nowMs)
  }
  await store.handOutKeyPackage(alice, nowMs)
  await store.putProfile(bob, { version: 1, blob: randomBytes(100), nowMs })
  await store.raiseSerial(bob, 7)
  await store.setBanned(dora, nowMs)
  const [gone] = await world.crowd(1)
  await store.deleteAccount(gone, nowMs)
  await acknowledged(world, bob, { cursor: await store.mailboxHead(bob), mark: 9 })
  await acknowledged(world, carol, { cursor: 20, mark: 2 })
  const invite = { hash: hash(), usesMax: 3, expiresMs: nowMs + DAY_MS }
  const [stranger] = await world.crowd(1)
  await store.registerAccount(`${stranger.slice(0, -4)}aaaa` as AccountId, { accountKey: hash(), nowMs, invite })
  const [whole, begun, limited] = [blobId(), blobId(), blobId()]
  const limits = { lifetimeMs: 600_000, fetches: 2 }
  await store.beginBlob(limited, { owner: alice, size: 100, tokenHash: hash(), nowMs, ...limits })
  await store.finishBlob(limited, { size: 90, nowMs })
  await store.claimFetch(limited, { fetcher: hash(), how: 'claim' })
  for (const blob of [whole, begun]) await store.beginBlob(blob, { owner: alice, size: 100, tokenHash: hash(), nowMs })
  await store.finishBlob(whole, { size: 90, nowMs })
  await store.blobParts.claim(begun, 'of-alice')
  await store.blobParts.add(begun, {
    part: { number: 1, kind: 'part', size: 50, tag: '"a"' },
    from: 1,
    after: undefined,
  })
  await store.noteClockSet({ byMs: 3 * DAY_MS, nowMs })
  await store.flush()
}

/** All rows of the database in a data directory, in no order. Does not include the note of a move. */
export function rowsOf(directory: string): Record<string, string[]> {
  const db = new Database(`${directory}/relay.db`, { readonly: true })
  try {
    const tables = db
      .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'relay_move'")
      .pluck()
      .all()
    return Object.fromEntries(tables.map(table => [table, textsOf(db.prepare(`SELECT * FROM ${table}`).all())]))
  } finally {
    db.close()
  }
}

const textsOf = (rows: unknown[]): string[] =>
  rows
    .map(row => JSON.stringify(row, (_, value: unknown) => (value instanceof Uint8Array ? [...value] : value)))
    .toSorted()
