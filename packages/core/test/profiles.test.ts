// Names and profiles: they reach the other side, and only as their owner wrote them.
import { decodeRelayFrame, encodeRelayFrame } from '@postern/protocol/relay'
import { test } from '@postern/testkit/fixtures'
import { expect } from 'vitest'

test('[CORE-9.1] the name and the bot mark arrive, and a new name without a message', async ({ alice, bot }) => {
  await alice.openInvite(bot.client.identity.me().inviteUrl)
  await expect.poll(() => alice.client.identity.profileOf(bot.id)).toMatchObject({ name: 'bot', bot: true })
  await bot.client.identity.setProfile({ name: 'Robot', about: 'helps' })
  await bot.next('chat')
  await expect.poll(() => alice.client.identity.profileOf(bot.id)).toMatchObject({ name: 'Robot', about: 'helps' })
  expect(alice.client.chats.get(bot.chatId).name).toBe('Robot')
})

test('[CORE-9.2] who is not known yet is called by the beginning of the id', async ({ alice, bob, carol }) => {
  expect(alice.client.identity.profileOf(bob.id).name).toBe(bob.id.slice(0, 8))
  await carol.say(alice, 'hi')
  await alice.hears('hi')
  expect(alice.client.identity.profileOf(carol.id).name).toBe('carol')
})

test('[CORE-9.3] a profile under another key, or with a changed byte, is not taken', async ({ alice, bot }) => {
  let fetched = 0
  alice.wire.incoming = frame => {
    const decoded = decodeRelayFrame(frame)
    if (decoded.kind !== 'answer' || decoded.name !== 'getProfile') return [frame]
    fetched++
    const blob = decoded.answer.blob.slice()
    blob[20] = (blob[20] ?? 0) ^ 1
    return [encodeRelayFrame({ ...decoded, answer: { ...decoded.answer, blob } })]
  }
  await alice.openInvite(bot.client.identity.me().inviteUrl)
  await expect.poll(() => fetched).toBeGreaterThan(0)
  await alice.say(bot, 'who are you?')
  expect(alice.client.identity.profileOf(bot.id)).toMatchObject({ bot: false, about: '' })
})
