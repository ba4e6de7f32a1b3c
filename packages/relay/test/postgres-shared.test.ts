// Two stores on one database write one log: one order, one winner, membership at the commit, and devices that move.
import { randomBytes } from 'node:crypto'
import type { AccountId, GroupId } from '@postern/protocol'
import type { MailboxEntry, RelayVerdict } from '@postern/protocol/relay'
import { findPostgres, POSTGRES_MISSING } from '@postern/testkit/postgres'
import { forgetDatabase, preparedDatabase } from '@postern/testkit/test-databases'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { RelayLimits } from '../src/limits/relay-limits.ts'
import type { Fence } from '../src/store/fence.ts'
import { codeOf, type World } from './contract/world.ts'
import { openShared } from './shared-stores.ts'
import { idOf } from './test-client.ts'

const isMissing = findPostgres() === undefined
if (isMissing) console.warn(`${POSTGRES_MISSING} Stores that share one are not tried.`)

async function twoStores(limits: Partial<RelayLimits> = {}): Promise<[World, World]> {
  const database = await preparedDatabase()
  onTestFinished(() => forgetDatabase(database))
  return [await openShared(database, limits), await openShared(database, limits)]
}

const seqsOf = (entries: MailboxEntry[]): number[] => entries.map(({ seq }) => seq)
const upTo = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, at) => first + at)

describe.skipIf(isMissing)('two stores that share a log', () => {
  test('[RELAY-7.8] all that is sent at both is in one order, the same for everybody', async () => {
    const [here, there] = await twoStores()
    const [alice, bob, carol, dave] = await here.people()
    const group = await here.chat(alice, bob, carol, dave)
    const sends = upTo(1, 120).map(at => (at % 2 ? here : there).send(group, { sender: at % 3 ? alice : bob }))
    const seqs = (await Promise.all(sends)).map(({ accepted }) => accepted?.seq ?? 0)
    expect(seqs.toSorted((one, other) => one - other)).toEqual(upTo(2, 121))
    const [read, other] = [(await here.read(carol)).slice(1), (await there.read(dave)).slice(1)]
    expect(seqsOf(read)).toEqual(upTo(2, 121))
    expect(read).toEqual(other)
    for (const [at, { ts, cursor }] of read.entries()) {
      expect(ts).toBeGreaterThan(read[at - 1]?.ts ?? 0)
      expect(cursor).toBeGreaterThan(read[at - 1]?.cursor ?? 0)
    }
  })

  test('[RELAY-7.8] one message that is sent to both at once is one', async () => {
    const [here, there] = await twoStores()
    const [alice, bob] = await here.people()
    const group = await here.chat(alice, bob)
    for (let round = 0; round < 15; round++) {
      const payload = randomBytes(40)
      const verdicts = await Promise.all([here, there].map(world => world.send(group, { sender: alice, payload })))
      expect(new Set(verdicts.map(({ accepted }) => accepted?.seq)).size).toBe(1)
      expect(verdicts.filter(({ accepted }) => accepted?.duplicate === false)).toHaveLength(1)
    }
    expect(seqsOf(await there.read(bob)).slice(1)).toEqual(upTo(2, 16))
  })

  test('[RELAY-7.8] [RELAY-1.17] who writes where another relay has written before is known to who gets it', async () => {
    const [here, there] = await twoStores({ newPeoplePerDay: 1 })
    const [alice, bob, carol, dave] = await here.people()
    const group = await here.chat(bob, alice)
    await here.commit(group, { sender: alice, epoch: 1, add: [carol] })
    await here.commit(group, { sender: carol, epoch: 2, add: [dave] })
    expect(await codeOf(here.chat(alice, dave))).toBe('new-people-limit')
    await here.send(group, { sender: bob, epoch: 3 })
    await there.send(group, { sender: bob, epoch: 3 })
    await here.send(group, { sender: dave, epoch: 3 })
    expect(await codeOf(here.chat(alice, dave))).toBe('no error')
  })

  test('[RELAY-7.8] of the commits of an epoch one wins, whoever takes them', async () => {
    const [here, there] = await twoStores()
    const members = await here.crowd(8)
    const group = await here.chat(...members)
    for (let epoch = 1; epoch <= 12; epoch++) {
      const made = members.map((sender, at) => (at % 2 ? here : there).commit(group, { sender, epoch }))
      const verdicts = await Promise.all(made)
      expect(verdicts.filter(({ accepted }) => accepted)).toHaveLength(1)
      expect(verdicts.every(({ epoch: now }) => now === epoch + 1)).toBe(true)
    }
    expect(seqsOf(await there.read(members[0]))).toEqual(upTo(1, 13))
  })

  test('[RELAY-7.8] membership changes exactly at the commit, also for what is in no mailbox yet', async () => {
    const [here, there] = await twoStores()
    const [alice, bob, carol] = await here.people()
    const group = await here.chat(alice, bob)
    let epoch = 1
    const expected = { bob: [] as number[], carol: [] as number[] }
    for (let round = 0; round < 12; round++) {
      const [comes, goes] = round % 2 ? [bob, carol] : [carol, bob]
      const sends = Array.from({ length: 6 }, (_, at) =>
        sendNow(at % 2 ? here : there, group, { sender: alice, epoch }),
      )
      const change = there.store.commit({ ...commitOf(group, { sender: alice, epoch }), add: [comes], remove: [goes] })
      const verdicts = await Promise.all(sends)
      const seq = (await change).accepted?.seq ?? 0
      const inside = verdicts.flatMap(({ accepted }) => accepted?.seq ?? []).toSorted((one, other) => one - other)
      expect(inside.every(sent => sent < seq)).toBe(true)
      expected[goes === bob ? 'bob' : 'carol'].push(...inside, seq)
      expected[comes === bob ? 'bob' : 'carol'].push(seq)
      epoch += 1
    }
    await here.head(alice)
    expect(seqsOf(await here.read(bob)).slice(1)).toEqual(expected.bob)
    expect(seqsOf(await there.read(carol))).toEqual(expected.carol)
  })

  test('[RELAY-7.7] what is accepted at one wakes who follows at the other, and can be read there', async () => {
    const [here, there] = await twoStores()
    const [alice, bob] = await here.people()
    const group = await here.chat(alice, bob)
    let cursor = await there.head(bob)
    for (let round = 0; round < 10; round++) {
      const woken = Promise.withResolvers<void>()
      const forget = there.wake.subscribe(bob, woken.resolve)
      // The account is known there because it has read there.
      expect(await there.read(bob, cursor)).toEqual([])
      const { accepted } = await sendNow(here, group, { sender: alice, epoch: 1 })
      await woken.promise
      forget()
      const read = await there.read(bob, cursor)
      expect(seqsOf(read)).toEqual([accepted?.seq])
      cursor = read[0]?.cursor ?? 0
    }
  })

  test('[RELAY-7.7] a head counts what was accepted at the other before it was asked for', async () => {
    const [here, there] = await twoStores()
    const [alice, bob] = await here.people()
    const group = await here.chat(alice, bob)
    for (let round = 0; round < 20; round++) {
      await sendNow(here, group, { sender: alice, epoch: 1 })
      expect(await there.read(bob, await there.store.mailboxHead(bob))).toEqual([])
    }
    expect(await there.read(bob)).toHaveLength(21)
  })

  test('[RELAY-7.9] what an older connection has sent is settled when a newer one is there, or never comes true', async () => {
    const [here, there] = await twoStores()
    const [alice, bob] = await here.people()
    const group = await here.chat(alice, bob)
    const device = 'a device'
    const claim = { device, account: alice, serial: 0 }
    let fence = await here.store.claimDevice(claim)
    let doubted = 0
    for (let round = 0; round < 20; round++) {
      const [older, newer] = round % 2 ? [there, here] : [here, there]
      const payloads = Array.from({ length: 8 }, () => randomBytes(40))
      const sends = payloads.map(payload => sendNow(older, group, { sender: alice, epoch: 1, payload, fence }))
      const over = Promise.allSettled(sends)
      fence = await newer.store.claimDevice(claim)
      const isIn = (payload: Uint8Array) =>
        newer.store.outcome(idOf(payload), { group, by: alice }).then(({ accepted }) => accepted !== undefined)
      const told = await Promise.all(payloads.map(isIn))
      const answered = (await over).map(({ status }) => status === 'fulfilled')
      expect(answered).toEqual(told)
      expect(await Promise.all(payloads.map(isIn))).toEqual(told)
      doubted += told.filter(one => !one).length
      const late = sendNow(older, group, { sender: alice, epoch: 1, fence: { device, generation: round + 1 } })
      expect(await codeOf(late)).toBe('unauthenticated')
    }
    const read = await here.read(bob, await here.head(bob).then(() => 0))
    expect(read).toHaveLength(1 + 20 * 8 - doubted)
  })

  test('[RELAY-7.22] what a device has sent is settled when it is revoked or banned, or never comes true', async () => {
    const [here, there] = await twoStores()
    const [alice, bob] = await here.people()
    const group = await here.chat(alice, bob)
    const endings = [
      (serial: number) => there.store.raiseSerial(alice, serial),
      async (serial: number) => {
        await there.store.setBanned(alice, serial)
        await there.store.setBanned(alice, undefined)
      },
    ]
    let serial = 1
    for (let round = 0; round < 20; round++) {
      // Several devices at the same time, and some that arrive during the revocation: no deadlock.
      const claim = (device: string) => here.store.claimDevice({ device, account: alice, serial })
      const fences = await Promise.all(['phone', 'tablet', 'laptop'].map(claim))
      const sent = fences.flatMap(fence => [1, 2, 3].map(() => ({ fence, payload: randomBytes(40) })))
      const sends = sent.map(each => sendNow(here, group, { sender: alice, epoch: 1, ...each }))
      const over = Promise.allSettled(sends)
      const [late] = await Promise.all([codeOf(claim('late')), endings[round % 2]?.(serial + 1)])
      expect(['no error', 'bad-certificate', 'account-banned']).toContain(late)
      const isIn = ({ payload }: { payload: Uint8Array }) =>
        there.store.outcome(idOf(payload), { group, by: alice }).then(({ accepted }) => accepted !== undefined)
      const told = await Promise.all(sent.map(isIn))
      expect((await over).map(({ status }) => status === 'fulfilled')).toEqual(told)
      expect(await Promise.all(sent.map(isIn))).toEqual(told)
      for (const fence of fences)
        expect(await codeOf(sendNow(here, group, { sender: alice, epoch: 1, fence }))).toBe('unauthenticated')
      if (round % 2 === 0) serial += 1
    }
  })
})

type Sent = { sender: AccountId; epoch: number; payload?: Uint8Array; fence?: Fence | undefined }

/** Answered when it is in the log: does not wait for mailboxes. */
const sendNow = ({ store, nowMs }: World, group: GroupId, sent: Sent): Promise<RelayVerdict> => {
  const { payload = randomBytes(40), ...by } = sent
  return store.append({ ...by, group, message: idOf(payload), payload, delivery: { kind: 'message' }, nowMs })
}

function commitOf(group: GroupId, { sender, epoch }: { sender: AccountId; epoch: number }) {
  const payload = randomBytes(40)
  return {
    group,
    sender,
    epoch,
    payload,
    message: idOf(payload),
    welcome: randomBytes(8),
    nowMs: Date.UTC(2030, 0, 1, 12),
  }
}
