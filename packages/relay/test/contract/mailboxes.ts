// Mailboxes: read repeatedly, in pages, acknowledged upwards.
import { randomBytes } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AccountId } from '@postern/protocol'
import { expect, test } from 'vitest'
import { idOf } from '../test-client.ts'
import { ALL, acknowledged, bytes, codeOf, DAY_MS, type Get, padded, type Reopen, texts } from './world.ts'

export function mailboxRules(get: Get, reopen: Reopen): void {
  test('[RELAY-1.4] reading repeats, from any cursor, acknowledged or not', async () => {
    const world = get()
    const [alice, bob, carol] = await world.people()
    const group = await world.chat(alice, bob, carol)
    for (let at = 0; at < 10; at++) await world.send(group, { sender: alice, payload: bytes(`m${at}`) })
    const page = async (after: number) => (await world.store.readMailbox(bob, after, { ...ALL, entriesMax: 4 })).entries
    const first = await page(0)
    expect(await page(0)).toEqual(first)
    const cursor = first.at(-1)?.cursor ?? 0
    await acknowledged(world, bob, { cursor, mark: 0 })
    expect(texts(await page(cursor))).toEqual(['m3', 'm4', 'm5', 'm6'].map(padded))
    expect(await page(0)).toEqual(first)
    expect(await world.read(carol)).toHaveLength(11)
    const cursors = (await world.read(bob)).map(entry => entry.cursor)
    expect(cursors).toEqual([...new Set(cursors)].toSorted((a, b) => a - b))
  })

  test('[RELAY-1.5] the acknowledged cursor and the mark only rise, the cursor not above what is there', async () => {
    const world = get()
    const [alice, bob] = await world.people()
    const group = await world.chat(alice, bob)
    for (let at = 0; at < 6; at++) await world.send(group, { sender: alice })
    const cursors = (await world.read(bob)).map(entry => entry.cursor) as [number, ...number[]]
    const reached = async () => {
      const { cursor, mark } = (await world.store.getAccount(bob)) ?? {}
      return { cursor, mark }
    }
    await acknowledged(world, bob, { cursor: cursors[3] ?? 0, mark: 7 })
    await acknowledged(world, bob, { cursor: cursors[1] ?? 0, mark: 3 })
    expect(await reached()).toEqual({ cursor: cursors[3], mark: 7 })
    await acknowledged(world, bob, { cursor: Number.MAX_SAFE_INTEGER, mark: 9 })
    expect(await reached()).toEqual({ cursor: cursors.at(-1), mark: 9 })
    expect(await world.head(bob)).toBe(cursors.at(-1))
    expect((await world.store.getAccount(alice))?.cursor).toBe(0)
    await world.send(group, { sender: alice })
    expect(await world.kinds(bob, cursors.at(-1))).toEqual(['message'])
  })

  test('[RELAY-2.7] the head counts all that was sent before it was asked for', async () => {
    const world = get()
    const [alice, bob] = await world.people()
    const group = await world.chat(alice, bob)
    const before = await world.head(bob)
    const sent = [1, 2, 3].map(() => world.send(group, { sender: alice }))
    const head = await world.head(bob)
    await Promise.all(sent)
    expect(head).toBeGreaterThan(before)
    expect(await world.read(bob, head)).toEqual([])
  })

  test('[RELAY-1.42] what was acknowledged before a message is durable when that is answered', async () => {
    const world = get()
    const [alice, bob] = await world.people()
    const group = await world.chat(alice, bob)
    const cursor = await world.head(alice)
    const kept = world.store.acknowledge(alice, { cursor, mark: 41 })
    await world.send(group, { sender: alice })
    expect(await world.store.getAccount(alice)).toMatchObject({ cursor, mark: 41 })
    await kept
    const again = await reopen({})
    expect(await again.store.getAccount(alice)).toMatchObject({ cursor, mark: 41 })
  })

  test('[RELAY-1.43] what was acknowledged is known when the account is asked for, however soon', async () => {
    const world = get()
    const [alice, bob] = await world.people()
    await world.chat(alice, bob)
    const cursor = await world.head(alice)
    const kept = world.store.acknowledge(alice, { cursor, mark: 41 })
    expect(await world.store.getAccount(alice)).toMatchObject({ cursor, mark: 41 })
    await kept
  })

  test('[RELAY-1.6] one cursor runs through all chats', async () => {
    const world = get()
    const [alice, ...others] = await world.crowd(13)
    const chats = await Promise.all(others.map(async other => ({ other, group: await world.chat(other, alice) })))
    const start = await world.head(alice)
    const sent: string[] = []
    for (let at = 0; at < 60; at++) {
      const { other, group } = chats[(at * 5) % 12] as (typeof chats)[number]
      sent.push(padded(`m${at}`))
      await world.send(group, { sender: other, payload: bytes(`m${at}`) })
    }
    const entries = await world.read(alice, start)
    expect(texts(entries)).toEqual(sent)
    const end = entries.at(-1)?.cursor ?? 0
    expect(await world.read(alice, end)).toEqual([])
    const { other, group } = chats[3] as (typeof chats)[number]
    await world.send(group, { sender: other, payload: bytes('late') })
    expect(texts(await world.read(alice, end))).toEqual([padded('late')])
  })

  test('[RELAY-1.14] a reader beside writers skips nothing and sees nothing twice', async () => {
    const world = get()
    const [alice, ...others] = await world.crowd(9)
    const chats = await Promise.all(others.map(async other => ({ other, group: await world.chat(other, alice) })))
    const seen: string[] = []
    let cursor = await world.head(alice)
    let writing = true
    const reading = (async () => {
      for (let last = false; !last; last = !writing) {
        for (const entry of await world.read(alice, cursor, 50)) {
          seen.push(idOf(entry.payload))
          cursor = entry.cursor
          void world.store.acknowledge(alice, { cursor, mark: 0 })
        }
        await nextTurn()
      }
      for (const entry of await world.read(alice, cursor)) seen.push(idOf(entry.payload))
    })()
    const sent: string[] = []
    await Promise.all(
      chats.map(async ({ other, group }) => {
        for (let at = 0; at < 40; at++) sent.push((await world.send(group, { sender: other })).accepted?.message ?? '')
      }),
    )
    writing = false
    await reading
    expect(seen.toSorted()).toEqual(sent.toSorted())
  })

  test('[RELAY-1.33] a page is bounded by entries and by bytes, and has at least one entry', async () => {
    const world = get()
    const [alice, bob] = await world.people()
    const group = await world.chat(alice, bob)
    const start = await world.head(bob)
    for (let at = 0; at < 10; at++) await world.send(group, { sender: alice, payload: randomBytes(1000) })
    const page = async (entriesMax: number, bytesMax: number) => {
      const { entries, more } = await world.store.readMailbox(bob, start, { entriesMax, bytesMax })
      return { count: entries.length, more }
    }
    expect(await page(3, 1 << 20)).toEqual({ count: 3, more: true })
    expect(await page(100, 4500)).toEqual({ count: 4, more: true })
    expect(await page(100, 4000)).toEqual({ count: 4, more: true })
    expect(await page(100, 10)).toEqual({ count: 1, more: true })
    expect(await page(100, 1 << 20)).toEqual({ count: 10, more: false })
  })

  test('[RELAY-1.1] what was answered is there when the store is opened again', async () => {
    const world = get()
    const [alice, bob] = await world.people()
    const group = await world.chat(alice, bob)
    const { accepted } = await world.send(group, { sender: alice, payload: bytes('kept') })
    const cursor = await world.head(bob)
    await acknowledged(world, bob, { cursor, mark: 5 })
    const again = await reopen({})
    expect(texts(await again.read(bob))).toContain(padded('kept'))
    expect(await again.store.getAccount(bob)).toMatchObject({ cursor, mark: 5 })
    const next = await again.send(group, { sender: bob })
    expect(next.accepted?.seq).toBe((accepted?.seq ?? 0) + 1)
    expect(next.accepted?.ts).toBeGreaterThan(accepted?.ts ?? 0)
  })

  test('[RELAY-1.40] whoever gets a message is woken when it can read it, and before its sender is answered', async () => {
    const world = get()
    const [alice, bob, carol] = await world.people()
    const group = await world.chat(alice, bob, carol)
    const start = await world.head(bob)
    const happened: string[] = []
    const reads: Promise<void>[] = []
    const follow = (name: string, account: AccountId) =>
      world.wake.subscribe(account, () => {
        happened.push(`${name} is woken`)
        reads.push(world.read(account, start).then(found => void happened.push(`${name} reads ${found.length}`)))
      })
    follow('alice', alice)
    follow('bob', bob)
    follow('carol', carol)
    await world.send(group, { sender: alice }).then(() => happened.push('alice is answered'))
    await Promise.all(reads)
    expect(happened.slice(0, 2).toSorted()).toEqual(['bob is woken', 'carol is woken'])
    expect(happened.toSorted()).toEqual(
      ['alice is answered', 'bob is woken', 'bob reads 1', 'carol is woken', 'carol reads 1'].toSorted(),
    )
  })

  test('[RELAY-1.40] nobody is woken by what was refused', async () => {
    const world = get()
    const [alice, bob] = await world.people()
    const group = await world.chat(alice, bob)
    let woken = 0
    world.wake.subscribe(bob, () => (woken += 1))
    const payload = bytes('again')
    await world.send(group, { sender: alice, epoch: 7, payload })
    expect(woken).toBe(0)
    await world.send(group, { sender: alice, payload })
    await world.send(group, { sender: alice, payload })
    expect(woken).toBe(1)
  })

  test('[RELAY-1.41] readers that follow see the same as who reads it all, wherever each of them stands', async () => {
    const world = get()
    const [alice, bob, carol] = await world.people()
    const group = await world.chat(alice, bob, carol)
    // Each reader continues from its position; the second falls behind further than any cache.
    const readers = [1, 50, 7].map(every => ({ every, seen: [] as number[] }))
    const readOn = async ({ seen }: { seen: number[] }, pageSize: number): Promise<void> => {
      for (const { cursor } of await world.read(bob, seen.at(-1) ?? 0, pageSize)) seen.push(cursor)
    }
    for (let at = 1; at <= 150; at++) {
      // One of two writes that share a transaction is refused.
      const refused = codeOf(world.send(group, { sender: bob, epoch: 9 }))
      await Promise.all([world.send(group, { sender: at % 3 ? alice : carol }), refused])
      for (const reader of readers) if (at % reader.every === 0) await readOn(reader, (at % 5) + 1)
      // A cursor that does not exist yet spoils nothing for the others.
      if (at === 60) expect(await world.read(bob, Number.MAX_SAFE_INTEGER)).toEqual([])
    }
    const again = await reopen({})
    const all = (await again.read(bob)).map(({ cursor }) => cursor)
    expect(all).toHaveLength(151)
    for (const { seen, every } of readers) expect(seen).toEqual(all.slice(0, every === 7 ? seen.length : 151))
  })

  test('[RELAY-1.41] what was swept is not shown to who follows either', async () => {
    const world = get()
    const [alice, bob] = await world.people()
    const group = await world.chat(alice, bob)
    const start = await world.head(bob)
    expect(await world.read(bob, start)).toEqual([])
    await world.send(group, { sender: alice, payload: bytes('old') })
    expect(texts(await world.read(bob, start))).toEqual([padded('old')])
    world.nowMs += 31 * DAY_MS
    await world.send(group, { sender: alice, payload: bytes('young') })
    await world.store.sweep(world.nowMs)
    expect(texts(await world.read(bob, start))).toEqual([padded('young')])
  })
}
