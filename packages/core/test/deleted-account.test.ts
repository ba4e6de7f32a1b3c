// An account that its owner deletes, as its own client and others see it.
import { chatIdOf } from '@postern/bot-api'
import { privateChatId } from '@postern/protocol'
import { WITHIN } from '@postern/testkit'
import { test } from '@postern/testkit/fixtures'
import { expect } from 'vitest'

test('[CORE-9.5] is gone at the relay, and its client registers nothing', async ({ world, alice }) => {
  await alice.client.identity.deleteAccount(WITHIN)
  expect((await fetch(`${world.relayUrl}/profiles/${alice.id}`)).status).toBe(404)
  await expect.poll(() => alice.client.refusal?.code, { timeout: 20_000 }).toBe('account-unknown')
  // Requested again, as after an answer that was lost.
  await alice.client.identity.deleteAccount(WITHIN)
})

test('[CORE-9.6] others are told when they write to it, and go on', async ({ alice, bob, carol }) => {
  const chat = privateChatId(bob.id)
  await alice.client.chats.open({ account: bob.id }, WITHIN)
  await alice.client.messages.sendText(chat, { text: 'hello' }, WITHIN)
  const { id } = await alice.client.chats.createGroup({ name: 'three', members: [bob.id, carol.id] }, WITHIN)
  const group = chatIdOf(id)
  await bob.client.identity.deleteAccount(WITHIN)
  const sent = alice.client.messages.sendText(chat, { text: 'are you there?' }, WITHIN)
  await expect(sent).rejects.toMatchObject({ code: 'account-deleted' })
  await expect(alice.client.messages.sendText(chat, { text: 'again' }, WITHIN)).rejects.toMatchObject({
    code: 'account-deleted',
  })
  await expect(carol.client.chats.open({ account: bob.id }, WITHIN)).rejects.toMatchObject({
    code: 'account-not-found',
  })
  await alice.client.messages.sendText(group, { text: 'we are two' }, WITHIN)
  await expect
    .poll(() => carol.client.messages.list(group, { limit: 10 }).map(({ text }) => text), { timeout: 20_000 })
    .toContain('we are two')
  await alice.client.chats.removeMembers(group, [bob.id], WITHIN)
  await alice.client.messages.sendText(group, { text: 'and go on' }, WITHIN)
})
