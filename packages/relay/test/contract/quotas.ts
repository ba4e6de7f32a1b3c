// Limits on what one account may store in a day and leave unread with another: a flood stops at its own sender.
import { randomBytes } from 'node:crypto'
import { accountIdFromHash, isCoded } from '@postern/protocol'
import { expect, test } from 'vitest'
import { newGroupId } from '../test-client.ts'
import { acknowledged, codeOf, DAY_MS, type Get, type Reopen, START_MS, type World } from './world.ts'

const KIB = 1024
const DAILY = 'daily-bytes-limit'
const FULL = 'mailbox-full'

/** Sends until it is refused; returns how many were accepted, and the code of the refusal. */
async function flood(send: () => Promise<unknown>, countMax: number): Promise<{ accepted: number; code: string }> {
  for (let accepted = 0; accepted < countMax; accepted++) {
    const code = await codeOf(send())
    if (code !== 'no error') return { accepted, code }
  }
  return { accepted: countMax, code: 'no error' }
}

export function quotaRules(get: Get, reopen: Reopen): void {
  dailyRules(get, reopen)
  mailboxRules(reopen)
  inviteRules(get, reopen)
}

function dailyRules(get: Get, reopen: Reopen): void {
  const mib = (count: number) => count * KIB * KIB

  test('[RELAY-1.30] a new account stores no more than a new account may, also where nobody else is', async () => {
    const world = get()
    const [mallory] = await world.people()
    const alone = await world.chat(mallory)
    const send = () => world.send(alone, { sender: mallory, payload: randomBytes(128 * KIB) })
    const { accepted, code } = await flood(send, 700)
    expect(code).toBe(DAILY)
    expect(accepted * 128 * KIB).toBeGreaterThan(mib(60))
    expect(accepted * 128 * KIB).toBeLessThanOrEqual(mib(64))
  })

  test('[RELAY-1.30] everything counts: commits with their welcome, profiles, key packages, groups', async () => {
    const limits = { newAccountBytesPerDayMax: 300 * KIB, newPeoplePerDay: 1000 }
    const each = async (
      store: (world: World, mallory: Awaited<ReturnType<World['people']>>[0]) => () => Promise<unknown>,
    ) => {
      const world = await reopen(limits)
      const [mallory] = await world.people()
      return await flood(store(world, mallory), 2000)
    }
    let version = 0
    const profile = await each(
      ({ store, nowMs }, mallory) =>
        () =>
          store.putProfile(mallory, { version: ++version, blob: randomBytes(60 * KIB), nowMs }),
    )
    expect(profile).toEqual({ accepted: 5, code: DAILY })
    const packages = await each(
      ({ store, nowMs }, mallory) =>
        () =>
          store.publishKeyPackages(mallory, {
            oneTime: [randomBytes(4 * KIB)],
            lastResort: undefined,
            replace: true,
            nowMs,
          }),
    )
    expect(packages).toEqual({ accepted: 72, code: DAILY })
    const groups = await each(
      ({ store, nowMs }, mallory) =>
        () =>
          store.createGroup(newGroupId(), { creator: mallory, nowMs }),
    )
    expect(groups).toEqual({ accepted: 1200, code: DAILY })
    const world = await reopen(limits)
    const [mallory] = await world.people()
    const alone = await world.chat(mallory)
    let epoch = 1
    const commit = () => world.commit(alone, { sender: mallory, epoch: epoch++, payload: randomBytes(50 * KIB) })
    expect(await flood(commit, 100)).toEqual({ accepted: 5, code: DAILY })
    expect((await world.store.getGroup(alone, mallory)).epoch).toBe(6)
  })

  test('[RELAY-1.30] it says when to try again, others go on, and the next day all goes on', async () => {
    const world = await reopen({ newAccountBytesPerDayMax: 100 * KIB, bytesPerDayMax: 200 * KIB })
    const [mallory, alice, bob] = await world.people()
    const group = await world.chat(mallory, alice, bob)
    const payload = randomBytes(60 * KIB)
    const send = (sender = mallory, bytes: Uint8Array = randomBytes(60 * KIB)) =>
      world.send(group, { sender, payload: bytes })
    const first = await send(mallory, payload)
    const error = await send().catch((thrown: unknown) => thrown)
    expect(isCoded(error, DAILY) && error.details).toEqual({
      limit: 100 * KIB,
      retryAtMs: (Math.floor(START_MS / DAY_MS) + 1) * DAY_MS,
    })
    await send(alice)
    // A resend of an accepted message is confirmed, whatever was used since.
    expect((await send(mallory, payload)).accepted).toEqual({ ...first.accepted, duplicate: true })
    // Leaving is never refused.
    expect((await world.send(group, { sender: mallory, delivery: { kind: 'leave' } })).accepted).toBeDefined()
    world.nowMs += 2 * DAY_MS
    const own = await world.chat(mallory, bob)
    expect((await flood(() => world.send(own, { sender: mallory, payload: randomBytes(60 * KIB) }), 9)).accepted).toBe(
      3,
    )
  })

  test('[RELAY-1.30] a resend is not counted again, and a restart forgets little', async () => {
    const limits = { newAccountBytesPerDayMax: 2 * KIB * KIB }
    const world = await reopen(limits)
    const [mallory, bob] = await world.people()
    const group = await world.chat(mallory, bob)
    const payload = randomBytes(100 * KIB)
    for (let at = 0; at < 50; at++) await world.send(group, { sender: mallory, payload })
    const send = (now: World) => () => now.send(group, { sender: mallory, payload: randomBytes(100 * KIB) })
    expect((await flood(send(world), 10)).accepted).toBe(10)
    const again = await reopen(limits)
    expect((await flood(send(again), 100)).accepted).toBeLessThan(12)
  })
}

function mailboxRules(reopen: Reopen): void {
  const limits = {
    newAccountBytesPerDayMax: 1024 * KIB * KIB,
    mailboxBytesPerSenderMax: 4 * KIB * KIB,
    mailboxBytesMax: 6 * KIB * KIB,
  }
  const large = () => randomBytes(100 * KIB)

  test('[RELAY-1.31] who fills a mailbox is refused until it is read, and nobody else', async () => {
    const world = await reopen(limits)
    const [mallory, alice, bob] = await world.people()
    const chat = await world.chat(mallory, bob)
    const { accepted, code } = await flood(() => world.send(chat, { sender: mallory, payload: large() }), 200)
    expect(code).toBe(FULL)
    expect(accepted).toBeGreaterThan(30)
    expect(accepted).toBeLessThan(60)
    // Nor through another chat, a commit, or a direct message in a group.
    const other = newGroupId()
    await world.store.createGroup(other, { creator: mallory, nowMs: world.nowMs })
    expect(await codeOf(world.commit(other, { sender: mallory, epoch: 0, add: [bob] }))).toBe(FULL)
    const three = await world.chat(alice, mallory, bob)
    const direct = { kind: 'direct' as const, to: bob }
    expect(await codeOf(world.send(three, { sender: mallory, delivery: direct }))).toBe(FULL)
    // One member who does not read does not silence the group, and alice's messages arrive.
    await world.send(three, { sender: mallory })
    await world.send(await world.chat(alice, bob), { sender: alice })
    await world.send(three, { sender: alice, delivery: direct })
    // All accepted messages are delivered.
    const waiting = await world.read(bob)
    expect(waiting.filter(entry => entry.group === chat && entry.kind === 'message')).toHaveLength(accepted)
    await acknowledged(world, bob, { cursor: waiting.at(-1)?.cursor ?? 0, mark: 0 })
    world.nowMs += 10_000
    expect((await world.send(chat, { sender: mallory })).accepted).toBeDefined()
  })

  test('[RELAY-1.31] in a mailbox that is full, everybody may still leave a little', async () => {
    const world = await reopen(limits)
    const [mallory, trudy, alice, bob] = await world.people()
    for (const sender of [mallory, trudy]) {
      const chat = await world.chat(sender, bob)
      expect((await flood(() => world.send(chat, { sender, payload: large() }), 200)).code).toBe(FULL)
    }
    const chat = await world.chat(alice, bob)
    const { accepted, code } = await flood(() => world.send(chat, { sender: alice, payload: large() }), 200)
    expect(code).toBe(FULL)
    expect(accepted).toBeGreaterThanOrEqual(9)
    expect(accepted).toBeLessThan(25)
  })

  test('[RELAY-1.31] many small ones fill it as well', async () => {
    const world = await reopen({ ...limits, mailboxBytesPerSenderMax: 1e9, mailboxEntriesPerSenderMax: 5_000 })
    const [mallory, bob] = await world.people()
    const chat = await world.chat(mallory, bob)
    const burst = () => Promise.all(Array.from({ length: 1000 }, () => world.send(chat, { sender: mallory })))
    const { accepted, code } = await flood(burst, 30)
    expect(code).toBe(FULL)
    expect(accepted).toBeLessThan(15)
  })
}

function inviteRules(get: Get, reopen: Reopen): void {
  const newAccount = () => accountIdFromHash(randomBytes(32))
  const given = (world: World, usesMax = 1, hash: Uint8Array = randomBytes(32)) => ({
    accountKey: randomBytes(32),
    nowMs: world.nowMs,
    invite: { hash, usesMax, expiresMs: world.nowMs + DAY_MS },
  })

  test('[RELAY-1.32] an invite is used as often as it allows, however many come at once, and across restarts', async () => {
    const world = get()
    const use = given(world, 3)
    const codes = await Promise.all(
      Array.from({ length: 10 }, () => codeOf(world.store.registerAccount(newAccount(), use))),
    )
    expect(codes.filter(code => code === 'no error')).toHaveLength(3)
    expect(codes.filter(code => code === 'invite-used')).toHaveLength(7)
    const again = await reopen({})
    expect(await codeOf(again.store.registerAccount(newAccount(), use))).toBe('invite-used')
  })

  test('[RELAY-1.32] who is registered already uses nothing up, and neither does who is refused', async () => {
    const world = await reopen({ accountsMax: 2 })
    const [alice, bob, carol] = [newAccount(), newAccount(), newAccount()]
    const use = given(world)
    expect(await world.store.registerAccount(alice, use)).toBe('created')
    expect(await world.store.registerAccount(alice, use)).toBe('exists')
    const other = given(world)
    await world.store.registerAccount(bob, given(world))
    expect(await codeOf(world.store.registerAccount(carol, other))).toBe('rate-limited')
    const roomier = await reopen({})
    expect(await roomier.store.registerAccount(carol, other)).toBe('created')
    expect(await codeOf(roomier.store.registerAccount(newAccount(), use))).toBe('invite-used')
  })
}
