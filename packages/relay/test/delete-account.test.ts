// An account that its owner deletes: what must be signed, who is cut off, what others see.
import { sign } from 'node:crypto'
import { deletionBytes } from '@postern/protocol/relay'
import { expect, test } from 'vitest'
import { begin, put } from './put-blob.ts'
import { arrive, type Connected, chatOf, openClient, temporaryDirectory, testRelay } from './relay-fixture.ts'
import { anotherDevice, messageEnvelope, newPerson } from './test-client.ts'

/** `by`: the signing key; by default the account's own. */
async function deletion(client: Connected, by = client.person.account) {
  const { nonce } = await client.challenge
  const accountKey = client.person.account.publicKey
  return new Uint8Array(sign(null, deletionBytes({ nonce, audience: client.host, accountKey }), by.privateKey))
}

const remove = async (client: Connected) => await client.call('deleteAccount', { signature: await deletion(client) })

test('[RELAY-2.30] the answer comes when the account is gone: no profile, no login, no registration', async () => {
  const dataDirectory = temporaryDirectory()
  const relay = await testRelay({ dataDirectory })
  const bob = await arrive(relay)
  const peerEvents = await arrive(relay, anotherDevice(bob.person))
  const alice = await arrive(relay)
  const group = await chatOf(alice, bob)
  await bob.call('putProfile', { version: 1, blob: Buffer.from('bob') })
  const begun = await begin(relay, bob, 4)
  await put(begun, Buffer.from('blob'), 0)
  const profile = () => fetch(`${relay.url}/profiles/${bob.id}`)
  expect((await profile()).status).toBe(200)
  await remove(bob)
  expect([(await profile()).status, (await fetch(begun.url)).status]).toEqual([404, 404])
  await bob.closed
  await peerEvents.closed
  for (const intent of ['login', 'register'] as const) {
    const again = openClient(relay)
    await expect(again.authenticate(bob.person, intent)).rejects.toMatchObject({ code: 'account-unknown' })
  }
  const payload = messageEnvelope({ group, epoch: 1 })
  const sent = alice.call('append', { payload, to: undefined, leave: false })
  await expect(sent).rejects.toMatchObject({ code: 'account-deleted' })
  await expect(alice.call('takeKeyPackages', { accounts: [bob.id] })).rejects.toMatchObject({
    code: 'account-not-found',
  })
  await relay.stop()
  const restarted = await testRelay({ dataDirectory })
  await expect(openClient(restarted).authenticate(bob.person, 'register')).rejects.toMatchObject({
    code: 'account-unknown',
  })
})

test('[RELAY-2.31] only the key of the account deletes it, over its own connection', async () => {
  const relay = await testRelay()
  const bob = await arrive(relay)
  const mallory = await arrive(relay)
  const refused = { code: 'unauthenticated' }
  // A device's key, even a stolen or revoked one, signs no deletion; nor does another account's.
  for (const by of [bob.person.device, newPerson().account])
    await expect(bob.call('deleteAccount', { signature: await deletion(bob, by) })).rejects.toMatchObject(refused)
  // An intercepted deletion is useless on another connection: on the next of the same account, and on a stranger's.
  const heard = await deletion(bob)
  const later = await arrive(relay, anotherDevice(bob.person))
  await expect(later.call('deleteAccount', { signature: heard })).rejects.toMatchObject(refused)
  await expect(mallory.call('deleteAccount', { signature: heard })).rejects.toMatchObject(refused)
  expect((await later.call('getProfile', { account: bob.id })).version).toBe(0)
})

test('[RELAY-2.32] what was sent at the same time is accepted before it or not at all, and the relay goes on', async () => {
  const relay = await testRelay()
  const bob = await arrive(relay)
  const alice = await arrive(relay)
  const group = await chatOf(alice, bob)
  await alice.call('follow', { after: 0 })
  const signature = await deletion(bob)
  const payload = messageEnvelope({ group, epoch: 1 })
  const before = bob.call('append', { payload, to: undefined, leave: false })
  const gone = bob.call('deleteAccount', { signature })
  const after = bob.call('append', { payload: messageEnvelope({ group, epoch: 1 }), to: undefined, leave: false })
  bob.acknowledge(5)
  const toBob = alice.call('append', { payload: messageEnvelope({ group, epoch: 1 }), to: undefined, leave: false })
  const settled = await Promise.allSettled([before, gone, after, toBob])
  expect(settled.slice(0, 3).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
  await expect.poll(() => alice.entries.filter(({ sender }) => sender === bob.id).length).toBe(1)
  expect((await fetch(`${relay.url}/healthz`)).status).toBe(200)
  expect((await fetch(`${relay.url}/profiles/${bob.id}`)).status).toBe(404)
})
