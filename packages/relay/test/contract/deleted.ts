// Deleted accounts, and contacts that expire.
import { randomBytes } from 'node:crypto'
import { BLOB_ID_BYTES, blobIdFromBytes } from '@postern/protocol'
import { expect, test } from 'vitest'
import { codeOf, DAY_MS, type Get, type Reopen } from './world.ts'

export function deletionRules(get: Get, reopen: Reopen): void {
  const purge = async () => {
    while ((await get().store.purgeDeleted(get().nowMs)).more);
  }

  test('[RELAY-1.49] a deleted account is found by nobody, and nothing more of it is accepted', async () => {
    const { store, ...world } = get()
    const [alice, bob, carol] = await get().people()
    const group = await get().chat(alice, bob, carol)
    await store.putProfile(bob, { version: 1, blob: randomBytes(50), nowMs: world.nowMs })
    await store.publishKeyPackages(bob, {
      oneTime: [randomBytes(20)],
      lastResort: randomBytes(20),
      replace: false,
      nowMs: world.nowMs,
    })
    const blob = blobIdFromBytes(randomBytes(BLOB_ID_BYTES))
    await store.beginBlob(blob, { owner: bob, size: 10, tokenHash: randomBytes(32), nowMs: world.nowMs })
    await store.finishBlob(blob, { size: 10, nowMs: world.nowMs })
    await get().send(group, { sender: bob, payload: Buffer.from('before') })
    await store.deleteAccount(bob, world.nowMs)
    for (const again of [false, true]) {
      expect([again, await store.getAccount(bob), await store.getProfile(bob), await store.getBlob(blob)]).toEqual([
        again,
        undefined,
        undefined,
        undefined,
      ])
      expect(await store.getAccountFacts(bob, world.nowMs)).toBeUndefined()
      expect(
        (await store.listAccounts({ countMax: 10, nowMs: world.nowMs, which: 'all' })).map(row => row.account),
      ).not.toContain(bob)
      expect(await codeOf(store.hasKeyPackage(bob))).toBe('account-not-found')
      expect(await codeOf(store.deleteAccount(bob, world.nowMs))).toBe('account-not-found')
      expect(await codeOf(get().send(group, { sender: bob }))).toBe('group-unknown')
      const direct = { kind: 'direct', to: bob } as const
      expect(await codeOf(get().send(group, { sender: alice, delivery: direct }))).toBe('not-a-member')
      expect(await codeOf(get().commit(group, { sender: alice, epoch: 1, add: [bob] }))).toBe('account-not-found')
      await purge()
    }
    // Its accepted messages are delivered; its blobs are swept.
    expect((await get().read(alice)).map(({ sender, kind }) => [sender, kind])).toContainEqual([bob, 'message'])
    expect(await store.expiredBlobs(world.nowMs, 10)).toContain(blob)
  })

  test('[RELAY-1.49] its id is not registered again, over restarts too', async () => {
    const [alice] = await get().people()
    const { nowMs } = get()
    await get().store.deleteAccount(alice, nowMs)
    const again = await reopen({})
    expect(await codeOf(again.store.registerAccount(alice, { accountKey: randomBytes(32), nowMs }))).toBe(
      'account-unknown',
    )
    expect(await again.store.bannedAccounts()).toContain(alice)
  })

  test('[RELAY-1.50] who writes to a chat in which the others were deleted is told so, and may leave', async () => {
    const [alice, bob, carol] = await get().people()
    const pair = await get().chat(alice, bob)
    const three = await get().chat(alice, bob, carol)
    const { nowMs } = get()
    await get().store.deleteAccount(bob, nowMs)
    await purge()
    expect(await codeOf(get().send(pair, { sender: alice }))).toBe('account-deleted')
    expect((await get().send(three, { sender: alice })).accepted).toBeDefined()
    expect((await get().store.getGroup(three, alice)).members.toSorted()).toEqual([alice, carol].toSorted())
    // A commit may still remove the deleted account.
    expect((await get().commit(three, { sender: alice, epoch: 1, remove: [bob] })).accepted).toBeDefined()
    expect((await get().send(pair, { sender: alice, delivery: { kind: 'leave' } })).accepted).toBeDefined()
  })

  test('[RELAY-1.51] a contact is forgotten thirty days after it was noted, and noted again by the next message', async () => {
    const world = await reopen({ newPeoplePerDay: 1 })
    world.nowMs = Date.now()
    const [alice, bob, carol] = await world.people()
    const group = await world.chat(alice, bob)
    const addBoth = async () => {
      world.nowMs += DAY_MS
      const fresh = await world.chat(alice)
      return await codeOf(world.commit(fresh, { sender: alice, epoch: 1, add: [bob, carol] }))
    }
    // One of the two added people is known.
    expect(await addBoth()).toBe('no error')
    world.nowMs += 32 * DAY_MS
    await world.sweep()
    expect(await addBoth()).toBe('new-people-limit')
    await world.send(group, { sender: bob })
    expect(await addBoth()).toBe('no error')
  })
}
