// Two people and a bot: opening, requests, and what the limits refuse.
import { messageIdOf } from '@postern/bot-api'
import { isCoded } from '@postern/protocol'
import { parseInvite } from '@postern/protocol/content'
import { decodeClientFrame, encodeRelayFrame } from '@postern/protocol/relay'
import { WITHIN } from '@postern/testkit'
import { test } from '@postern/testkit/fixtures'
import { describe, expect } from 'vitest'

describe('private chats', () => {
  test('[CORE-1.1] a chat has the id of the other person on both sides', async ({ alice, bob }) => {
    await alice.say(bob, 'hello')
    const heard = await bob.hears('hello')
    expect(heard).toMatchObject({ chat_id: alice.id, from: { id: alice.id, name: 'alice' } })
    await bob.say(alice, 'hello to you')
    expect((await alice.hears('hello to you')).chat_id).toBe(bob.id)
    expect(alice.client.chats.list().map(chat => chat.id)).toEqual([bob.id])
    expect(bob.client.chats.list().map(chat => chat.id)).toEqual([alice.id])
  })

  test('[CORE-1.2] two who open at once meet in one group, and both first words arrive', async ({ alice, bob }) => {
    alice.wire.hold()
    bob.wire.hold()
    const said = [alice.say(bob, 'from alice'), bob.say(alice, 'from bob')]
    // Both have fetched key packages before either sees the other's welcome.
    const steps = setInterval(() => {
      alice.wire.release()
      bob.wire.release()
      alice.wire.hold()
      bob.wire.hold()
    }, 20)
    await Promise.all(said)
    clearInterval(steps)
    alice.wire.release()
    bob.wire.release()
    await bob.hears('from alice')
    await alice.hears('from bob')
    await alice.say(bob, 'now one')
    await bob.hears('now one')
    await bob.say(alice, 'and the same')
    await alice.hears('and the same')
    expect(alice.client.chats.list()).toHaveLength(1)
    expect(alice.texts(bob)).toHaveLength(4)
    expect([...alice.texts(bob)].sort()).toEqual([...bob.texts(alice)].sort())
  })

  test('[CORE-1.3, CORE-1.4] a chat is shown with its first content, as active', async ({ alice, bob }) => {
    await alice.say(bob, 'hi')
    const shown = await bob.next('chat')
    expect(shown.chat).toMatchObject({ id: alice.id, type: 'private', name: 'alice', state: 'active' })
    await bob.hears('hi')
  })

  test('[CORE-1.5] who came by the link gets in, who did not waits', async ({ world }) => {
    const bot = await world.person('bot', { acceptRequests: 'contacts', bot: true })
    const [alice, bob] = [await world.person('alice'), await world.person('bob')]
    await alice.openInvite(bot.client.identity.me().inviteUrl)
    await alice.say(bot, 'by the link')
    await bob.say(bot, 'by the id')
    await bot.next('chat', event => event.chat_id === bob.chatId)
    expect(bot.client.chats.get(alice.chatId).state).toBe('active')
    expect(bot.client.chats.get(bob.chatId).state).toBe('request')
  })

  test('[CORE-1.5] a token of another link is worth nothing', async ({ world }) => {
    const bot = await world.person('bot', { acceptRequests: 'contacts' })
    const alice = await world.person('alice')
    const target = { ...parseInvite(bot.client.identity.me().inviteUrl), token: 'AAAAAAAAAAAAAAAAAAAAAA' }
    await alice.client.chats.open(target, WITHIN)
    expect((await bot.next('chat')).chat.state).toBe('request')
  })

  test('[CORE-1.6, CORE-1.7] a request keeps its messages, tells nothing, and cannot be written to', async ({
    world,
  }) => {
    const bot = await world.person('bot', { acceptRequests: 'ask' })
    const alice = await world.person('alice')
    for (const text of ['one', 'two', 'three']) await alice.say(bot, text)
    await bot.next('chat', event => event.chat.state === 'request')
    await expect.poll(() => bot.texts(alice)).toEqual(['one', 'two', 'three'])
    const kinds = bot.client.journal.read(0, 100).map(entry => (JSON.parse(entry.json) as { type: string }).type)
    expect(kinds).toEqual(['chat'])
    await expect(bot.say(alice, 'too early')).rejects.toSatisfy(error => isCoded(error, 'chat-is-request'))
    expect(alice.texts(bot)).toEqual(['one', 'two', 'three'])

    expect((await bot.client.chats.accept(alice.chatId)).state).toBe('active')
    for (const text of ['one', 'two', 'three']) await bot.hears(text)
    await bot.say(alice, 'welcome')
    await alice.hears('welcome')
    expect((await bot.client.chats.accept(alice.chatId)).state).toBe('active')
  })

  test('[CORE-1.8] an account that nobody has is refused and leaves no chat', async ({ alice }) => {
    const nobody = 'a'.repeat(32) as never
    await expect(alice.client.messages.sendText(nobody, { text: 'hello?' }, WITHIN)).rejects.toSatisfy(error =>
      isCoded(error, 'account-not-found'),
    )
    expect(alice.client.chats.list()).toEqual([])
  })
})

describe('limits', () => {
  const testOfStrictRelay = test.extend('worldOptions', () => ({ relayLimits: { newPeoplePerDay: 1 } }))

  testOfStrictRelay(
    '[CORE-1.9] past the limit of new people the chat is refused and leaves nothing',
    async ({ alice, bob, carol }) => {
      await alice.say(bob, 'the first today')
      await expect(alice.say(carol, 'the second')).rejects.toSatisfy(error => isCoded(error, 'new-people-limit'))
      expect(alice.client.chats.list().map(chat => chat.id)).toEqual([bob.id])
      await carol.say(alice, 'I write first')
      await alice.hears('I write first')
      await alice.say(carol, 'answering is free')
      await carol.hears('answering is free')
    },
  )

  testOfStrictRelay('[CORE-9.7] the relay says how many new people are left today', async ({ alice, bob, carol }) => {
    expect(await alice.client.identity.newPeopleLeft(WITHIN)).toBe(1)
    await alice.say(bob, 'the first today')
    expect(await alice.client.identity.newPeopleLeft(WITHIN)).toBe(0)
    await expect(alice.say(carol, 'the second')).rejects.toSatisfy(error => isCoded(error, 'new-people-limit'))
    expect(await bob.client.identity.newPeopleLeft(WITHIN)).toBe(1)
  })

  test('[CORE-9.7] an older relay does not say it', async ({ alice: { client, wire } }) => {
    wire.outgoing = frame => {
      const decoded = decodeClientFrame(frame.slice())
      if (decoded.kind !== 'call' || decoded.name !== 'newPeopleLeft') return [frame]
      const refused = { code: 'frame-malformed', message: 'its kind 25 is not known' }
      const failure = { kind: 'failure', id: decoded.id, ...refused, retryAtMs: undefined, serial: undefined } as const
      queueMicrotask(() => wire.inject(encodeRelayFrame(failure)))
      return []
    }
    expect(await client.identity.newPeopleLeft(WITHIN)).toBeUndefined()
  })
})

test('[CORE-1.10] what cannot be said opens no chat, whatever makes it so', async ({ alice, bob }) => {
  const nowhere = messageIdOf('a'.repeat(32))
  const said = [
    () => alice.client.messages.sendText(bob.chatId, { text: 'hi', replyTo: nowhere }, WITHIN),
    () =>
      alice.client.messages.sendText(
        bob.chatId,
        { text: 'hi', mentions: [{ user: bob.id, offset: -1, length: 2 }] },
        WITHIN,
      ),
    () =>
      alice.client.messages.sendPoll(
        bob.chatId,
        { question: '?', options: ['a', 'b'], multiple: false, closeTs: 1 },
        WITHIN,
      ),
  ]
  for (const say of said) {
    await expect(say()).rejects.toSatisfy((error: unknown) => isCoded(error, 'bad-field'))
    expect(alice.client.chats.list()).toEqual([])
  }
})
