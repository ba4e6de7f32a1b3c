// An operator asks a relay for its state and its accounts, and bans accounts.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { DAY_MS, relayFixedLimits } from '@postern/protocol'
import { askControl } from '@postern/protocol/control'
import { ManualClock } from '@postern/testkit/clock'
import { failWrites } from '@postern/testkit/faults'
import { isOnPostgres } from '@postern/testkit/test-databases'
import { describe, expect, test } from 'vitest'
import type { Relay, RelayOptions } from '../src/index.ts'
import type { RelayStore, StoreOptions } from '../src/store/relay-store.ts'
import { openSqliteStore } from '../src/store/sqlite/sqlite-store.ts'
import { bearer, begin, put } from './put-blob.ts'
import { arrive, chatOf, newInvite, openClient, temporaryDirectory, testRelay } from './relay-fixture.ts'
import { anotherDevice, messageEnvelope, newPerson, proofOf } from './test-client.ts'

type Asked = { accounts: Record<string, unknown>[]; invites: Record<string, unknown>[] } & Record<string, unknown>

async function operated(options: Partial<RelayOptions> = {}) {
  const dataDirectory = options.dataDirectory ?? temporaryDirectory()
  const relay = await testRelay({ ...options, dataDirectory })
  const ask = async (command: string, given: Record<string, unknown> = {}): Promise<Asked> =>
    (await askControl(dataDirectory, { request: { command, arguments: given } })) as Asked
  return { relay, ask, dataDirectory }
}

const banned = { code: 'account-banned' }
const login = (relay: Relay, person: ReturnType<typeof newPerson>) => openClient(relay).authenticate(person, 'login')

describe('status', () => {
  test('[RELAY-5.2] says how the relay is', async () => {
    const { relay, ask } = await operated({ registration: 'open' })
    const [alice, bob] = [await arrive(relay), await arrive(relay)]
    const group = await chatOf(alice, bob)
    await alice.append(messageEnvelope({ group, epoch: 1 }))
    expect((await put(await begin(relay, alice, 1000), randomBytes(1000), 0)).status).toBe(204)
    await ask('ban', { account: bob.id })
    expect(await ask('status')).toMatchObject({
      registration: 'open',
      push: 'on',
      takes: { messages: true, blobs: true },
      connections: { members: 1 },
      accounts: 2,
      banned: 1,
      groups: 1,
      blobs: 1,
      blob_bytes: 1000,
      oldest_entry: expect.stringMatching(/^\d{4}-/),
      disk_free_bytes: expect.any(Number),
    })
    await ask('unban', { account: bob.id })
    expect(await ask('status')).toMatchObject({ banned: 0 })
  })
})

describe('accounts', () => {
  test('[RELAY-5.3] are listed page by page, the newest first, and by the day', async () => {
    const clock = new ManualClock(Date.UTC(2030, 0, 1, 12))
    const { relay, ask } = await operated({ clock })
    const people = [await arrive(relay), await arrive(relay), await arrive(relay)]
    const [alice, , carol] = people
    if (!alice || !carol) throw new TypeError('there are three')
    await chatOf(alice, carol)
    expect((await put(await begin(relay, alice, 500), randomBytes(500), 0)).status).toBe(204)
    clock.leap(3 * DAY_MS)
    await arrive(relay, anotherDevice(carol.person))
    const newestFirst = people.map(({ id }) => id).toReversed()
    const { accounts } = await ask('accounts')
    expect(accounts.map(({ account }) => account)).toEqual(newestFirst)
    expect(accounts.at(-1)).toEqual({
      account: alice.id,
      created: '2030-01-01',
      last_seen: '2030-01-01',
      connections: expect.any(Number),
      groups: 1,
      bytes_today: 0,
      blob_bytes: 500,
      banned: null,
    })
    await expect
      .poll(async () => (await ask('accounts', { account: carol.id })).accounts)
      .toMatchObject([{ account: carol.id, last_seen: '2030-01-04' }])
    const page = async (given: object) => (await ask('accounts', { ...given })).accounts.map(one => one['account'])
    expect(await page({ limit: 2 })).toEqual(newestFirst.slice(0, 2))
    expect(await page({ limit: 2, after: newestFirst[1] })).toEqual(newestFirst.slice(2))
    expect(await page({ banned: true })).toEqual([])
    await ask('ban', { account: alice.id })
    expect(await page({ banned: true })).toEqual([alice.id])
  })

  test('[RELAY-5.3] what is asked wrongly is refused', async () => {
    const { ask } = await operated()
    const nobody = newPerson().id
    for (const limit of [0, 1.5, '5', null, relayFixedLimits.accountsPerPageMax + 1])
      await expect(ask('accounts', { limit })).rejects.toMatchObject({ code: 'bad-field' })
    await expect(ask('accounts', { account: '../relay.db' })).rejects.toMatchObject({ code: 'bad-field' })
    for (const given of [{ account: nobody }, { after: nobody }])
      await expect(ask('accounts', given)).rejects.toMatchObject({ code: 'account-not-found' })
    for (const command of ['ban', 'unban']) {
      await expect(ask(command, { account: nobody })).rejects.toMatchObject({ code: 'account-not-found' })
      await expect(ask(command)).rejects.toMatchObject({ code: 'bad-field' })
    }
  })
})

describe('a banned account', () => {
  test('[RELAY-5.4] is cut off at once, also where it answers no goodbye, and is let in no more', async () => {
    const { relay, ask, dataDirectory } = await operated()
    const [mallory, bob] = [await arrive(relay), await arrive(relay)]
    const phone = await arrive(relay, anotherDevice(mallory.person))
    const group = await chatOf(mallory, bob)
    // It reads nothing, and so never answers a close frame.
    phone.socket.pause()
    expect(await ask('ban', { account: mallory.id })).toEqual({ account: mallory.id, connections: 2 })
    await mallory.closed
    expect((await ask('accounts', { account: mallory.id })).accounts).toMatchObject([{ connections: 0 }])
    for (const person of [mallory.person, anotherDevice(mallory.person)]) {
      await expect(login(relay, person)).rejects.toMatchObject(banned)
      await expect(openClient(relay).authenticate(person, 'register')).rejects.toMatchObject(banned)
    }
    await bob.append(messageEnvelope({ group, epoch: 1 }))
    await relay.stop()
    const again = await testRelay({ dataDirectory })
    await expect(login(again, mallory.person)).rejects.toMatchObject(banned)
    await login(again, bob.person)
  })

  test('[RELAY-5.4] of it only who proves its key is told', async () => {
    const { relay, ask } = await operated()
    const mallory = await arrive(relay)
    await ask('ban', { account: mallory.id })
    const stranger = openClient(relay)
    const { nonce } = await stranger.challenge
    const forged = { ...proofOf(mallory.person, { nonce, audience: stranger.host }), signature: randomBytes(64) }
    await expect(stranger.call('authenticate', { ...forged, intent: 'login' })).rejects.toMatchObject({
      code: 'unauthenticated',
    })
  })

  test('[RELAY-5.4] a login that is under way while the word comes is not let in', async () => {
    const raising = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    const openStore = (options: StoreOptions): RelayStore => {
      const store = openSqliteStore(options)
      const raiseSerial = store.raiseSerial.bind(store)
      store.raiseSerial = async (account, seen) => {
        if (seen === 1) return await raiseSerial(account, seen)
        raising.resolve()
        await go.promise
        return await raiseSerial(account, seen)
      }
      return store
    }
    const { relay, ask } = await operated({ openStore })
    const mallory = await arrive(relay)
    const phone = openClient(relay)
    const { nonce } = await phone.challenge
    const proof = proofOf(anotherDevice(mallory.person), { nonce, audience: phone.host, serial: 2 })
    const slow = phone.call('authenticate', { ...proof, intent: 'login' })
    slow.catch(() => undefined)
    await raising.promise
    await ask('ban', { account: mallory.id })
    go.resolve()
    await expect(slow).rejects.toMatchObject(banned)
    await expect(phone.call('ping', {})).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  test('[RELAY-5.4] what it uploads is cut off, and nothing more of it is taken', async () => {
    const { relay, ask } = await operated()
    const mallory = await arrive(relay)
    const begun = await begin(relay, mallory, 100_000)
    const other = await begin(relay, mallory, 10)
    const upload = request(begun.url, { method: 'PUT', headers: { ...bearer(begun, 0), 'Content-Length': 100_000 } })
    const broken = once(upload, 'error')
    upload.write(randomBytes(50_000))
    await expect.poll(async () => (await ask('status'))['uploads']).toBe(1)
    await ask('ban', { account: mallory.id })
    await broken
    for (const blob of [begun, other]) {
      const refused = await put(blob, randomBytes(10), 0)
      expect([refused.status, await refused.json()]).toEqual([
        403,
        { code: 'account-banned', error: expect.any(String) },
      ])
    }
    await ask('unban', { account: mallory.id })
    expect((await put(other, randomBytes(10), 0)).status).toBe(204)
  })

  test.skipIf(isOnPostgres())(
    '[RELAY-5.4] a ban that the disk has not kept is none, and the operator is told',
    async () => {
      const { relay, ask } = await operated()
      const mallory = await arrive(relay)
      {
        using _dead = failWrites()
        await expect(ask('ban', { account: mallory.id })).rejects.toMatchObject({ code: 'storage-failed' })
        await mallory.call('ping', {})
        await login(relay, anotherDevice(mallory.person))
      }
      expect((await ask('accounts', { account: mallory.id })).accounts).toMatchObject([{ banned: null }])
      await ask('ban', { account: mallory.id })
      await expect(login(relay, mallory.person)).rejects.toMatchObject(banned)
    },
  )

  test('[RELAY-5.5] loses nothing: what it sent is delivered, and what waits for it is there when it may come again', async () => {
    const { relay, ask } = await operated()
    const [mallory, bob] = [await arrive(relay), await arrive(relay)]
    const group = await chatOf(mallory, bob)
    const blob = await begin(relay, mallory, 6)
    await put(blob, Buffer.from('sealed'), 0)
    const before = messageEnvelope({ group, epoch: 1 })
    await mallory.append(before)
    await ask('ban', { account: mallory.id })
    await bob.call('follow', { after: 0 })
    expect((await bob.delivered(2)).at(-1)?.payload).toEqual(Buffer.from(before))
    expect(await (await fetch(blob.url)).text()).toBe('sealed')
    const during = messageEnvelope({ group, epoch: 1 })
    expect((await bob.append(during)).accepted?.seq).toBe(3)
    await ask('unban', { account: mallory.id })
    const back = await arrive(relay, mallory.person)
    await back.call('follow', { after: 0 })
    expect((await back.delivered(2)).at(-1)?.payload).toEqual(Buffer.from(during))
    expect((await back.append(messageEnvelope({ group, epoch: 1 }))).accepted?.seq).toBe(4)
  })
})

describe('invites', () => {
  test('[RELAY-5.6] are listed without their codes, and a revoked one lets nobody in', async () => {
    const clock = new ManualClock()
    const { relay, ask, dataDirectory } = await operated({ clock, registration: 'invite' })
    const code = await newInvite(dataDirectory, { usesMax: 3, expiresMs: clock.nowMs() + DAY_MS })
    const late = await newInvite(dataDirectory, { usesMax: 1, expiresMs: clock.nowMs() - 1 })
    const alice = newPerson()
    await openClient(relay).register(alice, code)
    const { invites: listed } = await ask('invites')
    expect(listed).toMatchObject([
      { uses: 1, used: 0, expired: true },
      { uses: 3, used: 1, expired: false },
    ])
    for (const secret of [code, late]) expect(JSON.stringify(listed)).not.toContain(secret)
    const id = String(listed[1]?.['invite'])
    for (const wrong of ['', 'zzzzzzzz', id.slice(1), '../relay.db', code, '*'])
      await expect(ask('revoke-invite', { invite: wrong })).rejects.toMatchObject({ code: 'invite-wrong' })
    expect(await ask('revoke-invite', { invite: id })).toEqual({ invite: id, used: 1 })
    await expect(openClient(relay).register(newPerson(), code)).rejects.toMatchObject({ code: 'invite-wrong' })
    await login(relay, alice)
    expect((await ask('invites')).invites).toHaveLength(1)
  })
})
