// Calls that an app around the client makes, some of them before there is an account.
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { openInvited, openTransferred } from '@postern/core'
import { connectNodeBlobs, nodeFileCipher } from '@postern/core/node'
import { makeNodeProvider } from '@postern/mls/node'
import { concatBytes, utf8 } from '@postern/protocol'
import { parseInvite } from '@postern/protocol/content'
import { passTime, WITHIN } from '@postern/testkit'
import { test } from '@postern/testkit/fixtures'
import { expect } from 'vitest'

test('[CORE-3.4] A client says that another has connected with its keys, until it is connected again', async ({
  world,
  clock,
}) => {
  const alice = await world.person('alice', { clock })
  expect(alice.client.isReplaced).toBe(false)
  const directory = join(world.directory, 'copy')
  cpSync(alice.directory, directory, { recursive: true })
  const copy = await world.person('copy', { directory })
  await expect.poll(() => alice.client.isReplaced).toBe(true)
  await world.close(copy)
  await passTime(clock, alice.online())
  expect(alice.client.isReplaced).toBe(false)
})

test('[CORE-4.13] What was sent under a key is known offline, and what was not is not', async ({ alice, bob }) => {
  const idempotency = { key: 'a key', request: utf8('a request') }
  expect(alice.client.messages.wasSent('a key')).toBe(false)
  await alice.client.messages.sendText(bob.chatId, { text: 'hello' }, { ...WITHIN, idempotency })
  alice.wire.cut()
  expect(['a key', 'another'].map(key => alice.client.messages.wasSent(key))).toEqual([true, false])
})

test('[CORE-7.7] A stored file is opened by its key without an account, and other bytes are not', async ({
  world,
  alice,
}) => {
  const bytes = new Uint8Array(200_000).fill(3)
  const draft = await alice.client.files.draft(only(bytes))
  const { blob, ...stored } = await draft.uploaded()
  const answer = await fetch(new URL(`/blobs/${blob}`, world.relayUrl.replace('ws', 'http')))
  const sealed = new Uint8Array(await answer.arrayBuffer())
  expect(await openTransferred(nodeFileCipher, { sealed, ...stored })).toEqual(bytes)
  const other = { ...stored, key: stored.digest }
  await expect(openTransferred(nodeFileCipher, { sealed, ...other })).rejects.toThrow('file')
  for (const cut of [0, 1, 16, sealed.length - 1])
    await expect(openTransferred(nodeFileCipher, { sealed: sealed.subarray(0, cut), ...stored })).rejects.toThrow(
      'file',
    )
  sealed[100_000] = (sealed[100_000] ?? 0) ^ 1
  await expect(openTransferred(nodeFileCipher, { sealed, ...stored })).rejects.toThrow('file')
  await draft.discard()
})

test('[CORE-7.8] A file that no message names goes under a key of the caller, for one fetcher and for a time', async ({
  world,
  alice,
}) => {
  const bytes = new Uint8Array(1000).fill(5)
  const key = new Uint8Array(32).fill(9)
  const draft = await alice.client.files.draft(only(bytes), { key, limits: { lifetimeMs: 600_000, fetches: 1 } })
  const { blob } = await draft.uploaded()
  const blobs = connectNodeBlobs(world.relayUrl)
  const { signal } = new AbortController()
  const fetchAs = async (fetchToken?: string) => {
    const { body } = await blobs.download(blob, { from: 0, signal, fetchToken })
    return concatBytes(...(await Array.fromAsync(body, piece => piece.slice())))
  }
  await expect(fetchAs()).rejects.toMatchObject({ code: 'blob-unknown' })
  const sealed = await fetchAs('a'.repeat(43))
  expect(await openTransferred(nodeFileCipher, { sealed, key })).toEqual(bytes)
  await expect(fetchAs('b'.repeat(43))).rejects.toMatchObject({ code: 'blob-unknown' })
  expect(await fetchAs('a'.repeat(43))).toEqual(sealed)
  blobs.close()
  await draft.discard()
})

test('[CORE-7.9] A blob of the account that nothing here names is deleted at the relay, also when that is away first', async ({
  world,
  alice,
}) => {
  const draft = await alice.client.files.draft(only(new Uint8Array(1000)))
  const { blob } = await draft.uploaded()
  const url = new URL(`/blobs/${blob}`, world.relayUrl.replace('ws', 'http'))
  expect((await fetch(url)).status).toBe(200)
  alice.wire.cut()
  await alice.client.files.discardBlob(blob)
  expect((await fetch(url)).status).toBe(200)
  alice.wire.mend()
  await expect.poll(async () => (await fetch(url)).status, { timeout: 20_000 }).toBe(404)
  await draft.discard()
})

test('[CORE-9.4] A profile is opened by the key of the link, and by no other', async ({ world, alice, bob }) => {
  const { account, profileKey } = parseInvite(alice.client.identity.me().inviteUrl)
  const fetched = await fetch(new URL(`/profiles/${account}`, world.relayUrl.replace('ws', 'http')))
  const answer = new Uint8Array(await fetched.arrayBuffer())
  const opened = (invited: { account: typeof account; profileKey: Uint8Array }) =>
    openInvited(makeNodeProvider(), { ...invited, answer })
  expect((await opened({ account, profileKey }))?.name).toBe('alice')
  const foreign = parseInvite(bob.client.identity.me().inviteUrl)
  expect(await opened({ account, profileKey: foreign.profileKey })).toBeUndefined()
  expect(await opened({ account: foreign.account, profileKey })).toBeUndefined()
})

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
