// Subscriptions and marks: who waits for a push, and when marks are removed.
import { randomBytes } from 'node:crypto'
import { type AccountId, type GroupId, HOUR_MS, MINUTE_MS, pushLimits, relayFixedLimits } from '@postern/protocol'
import { expect, test } from 'vitest'
import { idOf } from '../test-client.ts'
import type { Get, Reopen, World } from './world.ts'

const keys = { p256dh: randomBytes(65), auth: randomBytes(16), muted: [] }
const endpoint = 'https://push.example/1'

async function subscribe(world: World, account: AccountId, device: string): Promise<void> {
  world.nowMs += 1
  await world.store.push.set({ device, account, serial: 1 }, { ...keys, endpoint, nowMs: world.nowMs })
}

async function dueDevices(world: World) {
  const { push } = world.store
  await push.lead()
  const { away } = await push.look({ kind: 'all', after: '' })
  const mailboxes = away.map(of => ({ of, after: Math.max(of.read, of.pushed) }))
  return (await push.read({ nowMs: world.nowMs, mailboxes })).filter(({ groups }) => groups.size > 0)
}

/** The devices of all subscriptions, page by page. */
async function scan({ store: { push } }: World): Promise<string[]> {
  await push.lead()
  const devices: string[] = []
  for (let after: string | undefined = ''; after !== undefined; ) {
    const { away, next } = await push.look({ kind: 'all', after })
    devices.push(...away.map(({ device }) => device))
    after = next
  }
  return devices
}

/** The devices of each page for a group. Internal numbers of groups are small in a new store. */
async function pagesOf({ store: { push } }: World, id: GroupId): Promise<string[][]> {
  await push.lead()
  const look = (group: number, after: string) => push.look({ kind: 'group', group, after })
  let num = 1
  while ((await look(num, '')).group !== id) num += 1
  const pages: string[][] = []
  for (let after: string | undefined = ''; after !== undefined; ) {
    const { away, next } = await look(num, after)
    pages.push(away.map(({ device }) => device))
    after = next
  }
  return pages
}

export function pushRules(get: Get, reopen: Reopen): void {
  async function markedChat(world = get()) {
    const [alice, bob] = await world.people()
    const group = await world.chat(alice, bob)
    await subscribe(world, bob, 'bobs')
    const payload = randomBytes(40)
    const sent = {
      group,
      epoch: 1,
      sender: alice,
      message: idOf(payload),
      payload,
      delivery: { kind: 'message' } as const,
    }
    const preview = randomBytes(30)
    const append = { ...sent, attention: { kind: 'mention' as const, preview }, nowMs: world.nowMs }
    await world.store.append(append)
    await world.store.append(append)
    await world.store.flush()
    return { world, bob, group, preview, append }
  }

  test.for([
    { when: 'after a day', keptMs: pushLimits.ttlMs },
    { when: 'with their entries', keptMs: HOUR_MS },
  ])('[RELAY-10.24] marks and previews are removed $when', async ({ keptMs }) => {
    const limits = keptMs < pushLimits.ttlMs ? { keepEntriesMs: keptMs } : {}
    const { world, group, preview, append } = await markedChat(await reopen(limits))
    const [due] = await dueDevices(world)
    const entries = due?.groups.get(group)
    expect(entries).toMatchObject([{ isMention: true, message: append.message, sender: append.sender }])
    const entry = entries?.[0]?.entry ?? 0
    expect(Buffer.from((await world.store.push.previewOf(entry)) ?? [])).toEqual(preview)
    world.nowMs += keptMs - MINUTE_MS
    await world.sweep()
    expect(await world.store.push.previewOf(entry)).toBeDefined()
    world.nowMs += 2 * MINUTE_MS
    await world.sweep()
    expect(await world.store.push.previewOf(entry)).toBeUndefined()
    expect(await dueDevices(world)).toEqual([])
  })

  test('[RELAY-10.21] a position that is noted is not looked at again, and a new subscription keeps it', async () => {
    const { world, bob } = await markedChat()
    const [due] = await dueDevices(world)
    await subscribe(world, bob, 'bobs')
    expect(await dueDevices(world)).toHaveLength(1)
    await world.store.push.notePushed([{ device: 'bobs', pos: due?.through ?? 0 }])
    expect(await dueDevices(world)).toEqual([])
    await subscribe(world, bob, 'bobs')
    expect(await dueDevices(world)).toEqual([])
  })

  test('[RELAY-10.31] the devices of a large group are found once each, in pages of its members', async () => {
    const world = await reopen({ newPeoplePerDay: 1000 })
    const pageSize = pushLimits.membersPerLook
    const crowd = await world.crowd(pageSize * 2 + 5)
    // Somebody in another group, who is not looked at; a member without a device; and one with two.
    const [alice, carol, ...members] = crowd
    await world.chat(alice, carol)
    await subscribe(world, carol, 'carols')
    const group = await world.chat(alice, ...members)
    const [, bob, ...others] = members as [AccountId, AccountId, ...AccountId[]]
    for (const device of ['bobs', 'bobs-phone']) await subscribe(world, bob, device)
    for (const [at, account] of others.entries()) await subscribe(world, account, `device-${at}`)
    const pages = await pagesOf(world, group)
    const devices = ['bobs', 'bobs-phone', ...others.map((_, at) => `device-${at}`)]
    expect(pages.flat().toSorted()).toEqual(devices.toSorted())
    expect(pages).toHaveLength(3)
    expect(Math.max(...pages.map(({ length }) => length))).toBeLessThanOrEqual(pageSize + 1)
  })

  test('[RELAY-10.34] a scan passes a page of accounts that are all banned, and finds those after it', async () => {
    const world = await reopen({ newPeoplePerDay: 1000 })
    const [alice, ...banned] = await world.crowd(pushLimits.devicesPerLook + 1)
    for (const account of banned) {
      await subscribe(world, account, `a-${account}`)
      await world.store.setBanned(account, world.nowMs)
    }
    await subscribe(world, alice, 'b')
    expect(await scan(world)).toEqual(['b'])
  })

  test('[RELAY-10.4] an account has a limited number of subscriptions: the oldest is replaced', async () => {
    const { world, bob, append } = await markedChat()
    for (let at = 0; at < relayFixedLimits.subscriptionsPerAccountMax; at++) await subscribe(world, bob, `other-${at}`)
    const payload = randomBytes(40)
    await world.store.append({ ...append, payload, message: idOf(payload) })
    await world.store.flush()
    const devices = (await dueDevices(world)).map(({ device }) => device)
    expect(devices).toHaveLength(relayFixedLimits.subscriptionsPerAccountMax)
    expect(devices).not.toContain('bobs')
  })

  test('[RELAY-10.11] a revoked device, a banned account and a deleted one are not pushed to', async () => {
    const { world, bob } = await markedChat()
    await world.store.setBanned(bob, world.nowMs)
    expect(await dueDevices(world)).toEqual([])
    await world.store.setBanned(bob, undefined)
    expect(await dueDevices(world)).toHaveLength(1)
    await world.store.raiseSerial(bob, 2)
    expect(await dueDevices(world)).toEqual([])
    await world.store.push.set({ device: 'new', account: bob, serial: 2 }, { ...keys, endpoint, nowMs: world.nowMs })
    await world.store.deleteAccount(bob, world.nowMs)
    while ((await world.store.purgeDeleted(world.nowMs)).more);
    expect(await dueDevices(world)).toEqual([])
  })

  test('[RELAY-10.14] only the subscription that the service named is removed', async () => {
    const { world } = await markedChat()
    await world.store.push.drop('bobs', 'https://push.example/before')
    expect(await dueDevices(world)).toHaveLength(1)
    await world.store.push.drop('bobs', endpoint)
    expect(await dueDevices(world)).toEqual([])
  })
}
