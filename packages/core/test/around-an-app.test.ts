// What an app around the client asks, some of it before there is an account.
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { openCarried, openInvited } from '@postern/core'
import { nodeFileCipher } from '@postern/core/node'
import { makeNodeProvider } from '@postern/mls/node'
import { utf8 } from '@postern/protocol'
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
  expect(await openCarried(nodeFileCipher, { sealed, ...stored })).toEqual(bytes)
  const other = { ...stored, key: stored.digest }
  await expect(openCarried(nodeFileCipher, { sealed, ...other })).rejects.toThrow('file')
  sealed[100_000] = (sealed[100_000] ?? 0) ^ 1
  await expect(openCarried(nodeFileCipher, { sealed, ...stored })).rejects.toThrow('file')
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
