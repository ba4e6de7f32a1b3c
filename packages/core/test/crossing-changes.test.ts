// The values that a sender takes from the chat, and the chat at the message's place in the log: the two never differ.
import { type ChatId, isCoded, type MessageId } from '@postern/protocol'
import type { KnownBody } from '@postern/protocol/content'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { coreOf } from './hostile/modified-client.ts'
import { sayBody } from './hostile/team.ts'
import { loseAnswers, loseCalls, mend } from './lossy-wire.ts'

const HOUR_MS = 3_600_000

/** The timer with which a message is kept. */
const timerOf = (person: TestPerson, message: MessageId): number | undefined =>
  coreOf(person).store.get<{ timer_ms: number }>('SELECT timer_ms FROM message WHERE id = ?', message)?.timer_ms

const test = base
  .extend('chat', async ({ alice, bob, bot }): Promise<ChatId> => {
    const { id } = await bob.client.chats.createGroup({ name: 'team', members: [alice.id, bot.id] }, WITHIN)
    await bot.say(id, 'I am a bot')
    await alice.hears('I am a bot')
    await bob.hears('I am a bot')
    await expect.poll(() => alice.client.identity.profileOf(bot.id).bot).toBe(true)
    return id
  })
  /** Alice has not read bob's change when she sends. */
  .extend('crossing', ({ alice }) => async <T>(change: () => Promise<unknown>, speak: () => Promise<T>): Promise<T> => {
    alice.wire.hold()
    await change()
    const spoken = speak()
    spoken.catch(() => {})
    // The answer, and bob's change.
    await expect.poll(() => alice.wire.held.length).toBeGreaterThan(1)
    alice.wire.release()
    return await spoken
  })

describe('a change of the timer', () => {
  test('[CORE-5.19] a message that crosses the end of the timer stays', async ({ alice, bob, chat, crossing }) => {
    await alice.client.chats.setTimer(chat, HOUR_MS, WITHIN)
    await bob.next('chat', event => event.chat.timer_ms === HOUR_MS)
    const said = await crossing(
      () => bob.client.chats.setTimer(chat, 0, WITHIN),
      () => alice.say(chat, 'stays'),
    )
    expect(said.expires_ts).toBeUndefined()
    expect(timerOf(alice, said.id)).toBe(0)
    expect(timerOf(bob, (await bob.hears('stays')).id)).toBe(0)
  })

  test('[CORE-5.19] a message that crosses its beginning disappears on both sides', async ({
    alice,
    bob,
    chat,
    crossing,
  }) => {
    const said = await crossing(
      () => bob.client.chats.setTimer(chat, HOUR_MS, WITHIN),
      () => alice.say(chat, 'disappears'),
    )
    expect(said.expires_ts).toBe(said.ts + HOUR_MS)
    expect(timerOf(bob, (await bob.hears('disappears')).id)).toBe(HOUR_MS)
  })

  test('[CORE-5.19] a message of which the relay has the first bytes keeps the timer of that place', async ({
    alice,
    bob,
    world,
  }) => {
    await alice.client.chats.open({ account: bob.id }, WITHIN)
    const within = { ...WITHIN, idempotency: { key: 'one', request: new Uint8Array(32) } }
    loseAnswers(alice, 'appendMarked', 'outcome')
    const said = alice.client.messages.sendText(bob.chatId, { text: 'in doubt' }, within)
    said.catch(() => {})
    const heard = await bob.hears('in doubt')
    await world.close(alice)
    await bob.client.chats.setTimer(alice.chatId, HOUR_MS, WITHIN)
    const reopened = await world.person('alice')
    const again = await reopened.client.messages.sendText(bob.chatId, { text: 'in doubt' }, within)
    expect(again.id).toBe(heard.id)
    expect([timerOf(reopened, again.id), timerOf(bob, again.id)]).toEqual([0, 0])
  })

  test('[CORE-5.19] a message that the relay never saw takes the timer of its new place', async ({
    alice,
    bob,
    world,
  }) => {
    await alice.client.chats.open({ account: bob.id }, WITHIN)
    const within = { ...WITHIN, idempotency: { key: 'one', request: new Uint8Array(32) } }
    const lost = loseCalls(alice, 'appendMarked')
    const said = alice.client.messages.sendText(bob.chatId, { text: 'lost' }, within)
    said.catch(() => {})
    await expect.poll(lost).toBeGreaterThan(0)
    await world.close(alice)
    await bob.client.chats.setTimer(alice.chatId, HOUR_MS, WITHIN)
    const reopened = await world.person('alice')
    const again = await reopened.client.messages.sendText(bob.chatId, { text: 'lost' }, within)
    const heard = await bob.hears('lost')
    expect([timerOf(reopened, again.id), timerOf(bob, heard.id)]).toEqual([HOUR_MS, HOUR_MS])
  })

  test.for<[string, { timerMs?: number }, number]>([
    ['none where the chat has one', {}, HOUR_MS],
    ['one where the chat has none', { timerMs: 1 }, 0],
  ])(
    '[CORE-5.20] a modified client that names %s changes nothing',
    async ([, named, timerMs], { alice, bob, chat }) => {
      await bob.client.chats.setTimer(chat, 2 * HOUR_MS, WITHIN)
      await bob.client.chats.setTimer(chat, timerMs, WITHIN)
      await alice.next('chat', event => event.chat.timer_ms === timerMs)
      const body: KnownBody = { kind: 'text', text: 'named', ...named }
      await sayBody(alice, chat, body)
      expect(timerOf(bob, (await bob.hears('named')).id)).toBe(timerMs)
    },
  )
})

type Change = 'timer on' | 'timer off' | 'title' | 'bot in' | 'bot out' | 'close'
type Speech = 'command' | 'vote' | 'poll'

/** The chat according to its history, up to a time. */
function stateAt(person: TestPerson, chat: ChatId, { ts, bot }: { ts: number; bot: TestPerson }) {
  const { rows } = person.client.messages.history(chat, { before: ts, limit: 1000 })
  let [timerMs, hasBot] = [0, true]
  for (const row of rows) {
    if (row.kind !== 'notice') continue
    const { notice } = row
    const isOfBot = 'members' in notice && notice.members?.some(({ id }) => id === bot.id)
    if (notice.code === 'timer') timerMs = notice.timer_ms
    if (notice.code === 'joined' && isOfBot) hasBot = true
    if (notice.code === 'removed' && isOfBot) hasBot = false
  }
  return { timerMs, hasBot }
}

describe('what is said while others change the chat', () => {
  const change = fc.constantFrom<Change[]>('timer on', 'timer off', 'title', 'bot in', 'bot out', 'close')
  const speech = fc.constantFrom<Speech[]>('command', 'vote', 'poll')
  const run = fc.record({
    changes: fc.array(change, { minLength: 1, maxLength: 4 }),
    speeches: fc.array(speech, { minLength: 1, maxLength: 4 }),
    isHeld: fc.boolean(),
  })

  test('[CORE-5.19] is what the chat is at its place in the log', { timeout: 120_000 }, async ({
    alice,
    bob,
    bot,
    chat,
  }) => {
    let round = 0
    const asked = async () => {
      const poll = { question: `which ${++round}?`, options: ['a', 'b'], multiple: false }
      const { id } = await bob.client.messages.sendPoll(chat, poll, WITHIN)
      await alice.next('message', event => event.message.id === id)
      return id
    }
    const make = async (wanted: Change, poll: MessageId): Promise<unknown> => {
      const { chats, messages } = bob.client
      const hasBot = chats.get(chat).members.some(({ id }) => id === bot.id)
      if (wanted === 'timer on') return await chats.setTimer(chat, HOUR_MS * (1 + (round % 3)), WITHIN)
      if (wanted === 'timer off') return await chats.setTimer(chat, 0, WITHIN)
      if (wanted === 'title') return await chats.renameGroup(chat, `team ${round} ${Math.random()}`, WITHIN)
      if (wanted === 'bot in' && !hasBot) return await chats.addMembers(chat, [bot.id], WITHIN)
      if (wanted === 'bot out' && hasBot) return await chats.removeMembers(chat, [bot.id], WITHIN)
      if (wanted === 'close') return await messages.closePoll(chat, poll, WITHIN).catch(passClosed)
      return undefined
    }
    const speak = async (wanted: Speech, poll: MessageId): Promise<MessageId | undefined> => {
      const { messages } = alice.client
      if (wanted === 'command') return (await messages.sendText(chat, { text: '/start' }, WITHIN)).id
      if (wanted === 'poll')
        return (await messages.sendPoll(chat, { question: 'mine?', options: ['a', 'b'], multiple: false }, WITHIN)).id
      await messages.vote(chat, { message: poll, options: [0] }, WITHIN).catch(passClosed)
      return undefined
    }
    await fc.assert(
      fc.asyncProperty(run, async ({ changes, speeches, isHeld }) => {
        const poll = await asked()
        if (isHeld) alice.wire.hold()
        const changed = (async () => {
          for (const wanted of changes) await make(wanted, poll)
        })()
        if (isHeld) await changed
        const spoken = Promise.all(speeches.map(wanted => speak(wanted, poll)))
        if (isHeld) await expect.poll(() => alice.wire.held.length).toBeGreaterThan(0)
        alice.wire.release()
        await changed
        const ids = (await spoken).filter(id => id !== undefined)
        await alice.say(chat, `over ${round}`)
        await bob.hears(`over ${round}`)
        for (const id of ids) {
          const seen = bob.client.messages.get(chat, id)
          const { timerMs, hasBot } = stateAt(bob, chat, { ts: seen.ts, bot })
          expect([timerOf(alice, id), timerOf(bob, id)]).toEqual([timerMs, timerMs])
          if (seen.text === '/start') expect(seen.mentions?.length ?? 0).toBe(hasBot ? 1 : 0)
        }
        const votes = ({ client }: TestPerson) =>
          client.messages.get(chat, poll).poll?.options.map(option => option.votes)
        expect(votes(alice)).toEqual(votes(bob))
      }),
      { numRuns: 25 },
    )
  })
})

function passClosed(error: unknown): void {
  if (!isCoded(error, 'poll-closed')) throw error
}

describe('permission to speak', () => {
  test('[CORE-5.19] who blocks a person while a message to it waits says nothing more to it', async ({
    alice,
    bob,
  }) => {
    await alice.say(bob, 'first')
    await bob.hears('first')
    alice.wire.hold()
    await bob.client.chats.setTimer(alice.chatId, HOUR_MS, WITHIN)
    const said = alice.say(bob, 'unheard')
    said.catch(() => {})
    await expect.poll(() => alice.wire.held.length).toBeGreaterThan(1)
    await alice.client.chats.block(bob.id)
    alice.wire.release()
    await expect(said).rejects.toSatisfy(error => isCoded(error, 'chat-blocked'))
    expect(bob.texts(alice)).toEqual(['first'])
  })

  test('[CORE-5.19] who was removed meanwhile is told so, and nobody hears the message', async ({
    alice,
    bob,
    chat,
    crossing,
  }) => {
    const said = crossing(
      () => bob.client.chats.removeMembers(chat, [alice.id], WITHIN),
      () => alice.say(chat, 'unheard'),
    )
    await expect(said).rejects.toSatisfy(error => isCoded(error, 'chat-left'))
    expect(bob.texts(chat)).not.toContain('unheard')
  })

  test('[CORE-5.19] a vote that crosses the end of its poll is refused as such', async ({
    alice,
    bob,
    chat,
    crossing,
  }) => {
    const poll = { question: 'which?', options: ['a', 'b'], multiple: false }
    const { id } = await bob.client.messages.sendPoll(chat, poll, WITHIN)
    await alice.next('message', event => event.message.id === id)
    const voted = crossing(
      async () => {
        await bob.client.messages.closePoll(chat, id, WITHIN)
        await bob.client.chats.renameGroup(chat, 'renamed', WITHIN)
      },
      () => alice.client.messages.vote(chat, { message: id, options: [0] }, WITHIN),
    )
    await expect(voted).rejects.toSatisfy(error => isCoded(error, 'poll-closed'))
    expect(bob.client.messages.get(chat, id).poll?.options.map(({ votes }) => votes)).toEqual([0, 0])
    mend(alice)
  })
})
