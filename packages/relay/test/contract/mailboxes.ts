// Mailboxes: read again and again, in pages, acknowledged upwards.
import { randomBytes } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { idOf } from '../test-client.ts'
import { ALL, acknowledged, bytes, type Get, padded, type Reopen, texts } from './world.ts'

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
}
