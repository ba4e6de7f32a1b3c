// Everything that is in doubt when a connection is lost is settled, whatever the others have done meanwhile.
import { type ChatId, clientLimits, isCoded } from '@postern/protocol'
import { passTime, passWhenAwaited, type TestPerson, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { describe, expect } from 'vitest'
import { loseAnswers, loseCalls, mend, refuseCalls, watchCalls } from './lossy-wire.ts'

const soon = { timeoutMs: 300 }

const coded = (code: Parameters<typeof isCoded>[1]) => (error: unknown) => isCoded(error, code)

async function groupOf(opener: TestPerson, other: TestPerson): Promise<ChatId> {
  const group = (await opener.client.chats.createGroup({ name: 'team', members: [other.id] }, WITHIN)).id
  await opener.say(group, 'first')
  await other.hears('first')
  return group
}

const test = base
  /** Her clock is stopped: nothing of hers is given up before it was sent. */
  .extend('carol', ({ clock, world }) => world.person('carol', { clock }))
  /** Both sides receive each other's messages, and see the same. */
  .extend('talk', ({ bob }) => async (person: TestPerson, group?: ChatId): Promise<void> => {
    await person.say(group ?? bob, 'does it work?')
    await bob.hears('does it work?')
    await bob.say(group ?? person, 'it does')
    await person.hears('it does')
    expect(person.texts(group ?? bob)).toEqual(bob.texts(group ?? person))
  })
  /** Carol's request is in flight when her time is up. */
  .extend('givesUp', ({ clock }) => async (work: Promise<unknown>, lost: () => number): Promise<unknown> => {
    const failed = work.catch((error: unknown) => error)
    await expect.poll(lost).toBeGreaterThan(0)
    clock.advance(soon.timeoutMs)
    return await failed
  })
  .extend('reconnect', ({ clock, carol }) => async (): Promise<void> => {
    mend(carol)
    await passTime(clock, carol.client.whenOnline({ timeoutMs: 3_600_000 }))
  })
  /** The relay sees none of them, and their time runs out. */
  .extend('giveUp', ({ clock, bob, carol }) => async (count: number): Promise<PromiseSettledResult<unknown>[]> => {
    const lost = loseCalls(carol, 'appendMarked', 'outcome')
    const within = { timeoutMs: 1000 }
    const said = Array.from({ length: count }, () =>
      carol.client.messages.sendText(bob.chatId, { text: 'never' }, within),
    )
    const settled = Promise.allSettled(said)
    await expect.poll(lost).toBeGreaterThanOrEqual(Math.min(count, clientLimits.unsettledPerGroupMax))
    clock.advance(1000)
    return await settled
  })

describe('messages', () => {
  test('[CORE-4.4] who was removed meanwhile connects again, and goes on elsewhere', async ({
    bob,
    carol,
    givesUp,
    reconnect,
    talk,
  }) => {
    const group = await groupOf(bob, carol)
    const lost = loseCalls(carol, 'appendMarked')
    const said = carol.client.messages.sendText(group, { text: 'lost' }, soon)
    expect(await givesUp(said, lost)).toSatisfy(coded('send-in-doubt'))
    carol.wire.cut()
    await bob.client.chats.removeMembers(group, [carol.id], WITHIN)
    carol.wire.mend()
    await reconnect()
    await talk(carol)
    expect(bob.texts(group)).toEqual(['first'])
  })

  test('[CORE-4.4] a farewell in doubt has left when the relay has it', async ({ bob, carol, givesUp, reconnect }) => {
    const group = await groupOf(carol, bob)
    const lost = loseAnswers(carol, 'appendMarked')
    expect(await givesUp(carol.client.chats.leaveGroup(group, soon), lost)).toSatisfy(coded('send-in-doubt'))
    await reconnect()
    await expect.poll(() => carol.client.chats.get(group).state).toBe('left')
  })

  test('[CORE-9.1] who joined after a message that was in doubt learns the name with the next one', async ({
    alice,
    bob,
    carol,
    givesUp,
    reconnect,
  }) => {
    const group = await groupOf(carol, bob)
    const lost = loseAnswers(carol, 'appendMarked')
    const said = carol.client.messages.sendText(group, { text: 'in doubt' }, soon)
    expect(await givesUp(said, lost)).toSatisfy(coded('send-in-doubt'))
    await bob.client.chats.addMembers(group, [alice.id], WITHIN)
    await carol.next('chat', event => event.chat.members.length === 3)
    await reconnect()
    await carol.say(group, 'hello')
    expect((await alice.hears('hello')).from.name).toBe('carol')
  })

  test('[CORE-4.4] a storage that fails says nothing about a try before, whose answer was lost', async ({
    alice,
    bob,
    talk,
  }) => {
    await alice.say(bob, 'first')
    loseAnswers(alice, 'appendMarked', 'outcome')
    const said = alice.say(bob, 'in doubt')
    await bob.hears('in doubt')
    mend(alice)
    refuseCalls(alice, 'storage-full', 'appendMarked')
    await expect(said).rejects.toSatisfy(coded('send-in-doubt'))
    mend(alice)
    await talk(alice)
    expect(alice.texts(bob).slice(0, 2)).toEqual(['first', 'in doubt'])
  })

  test('[CORE-6.8] a press that the relay may have is not refused as if it had not', async ({
    carol,
    bot,
    givesUp,
  }) => {
    await carol.openInvite(bot.client.identity.me().inviteUrl)
    const buttons = [[{ text: 'Yes', data: 'yes' }]]
    await bot.client.messages.sendText(carol.chatId, { text: 'Well?', buttons }, WITHIN)
    const asked = await carol.hears('Well?')
    await expect.poll(() => carol.client.identity.profileOf(bot.id).bot).toBe(true)
    const lost = loseAnswers(carol, 'appendMarked')
    const pressed = carol.client.messages.press(bot.chatId, { message: asked.id, data: 'yes' }, soon)
    await bot.next('button')
    expect(await givesUp(pressed, lost)).toSatisfy(coded('send-in-doubt'))
  })

  test('[CORE-6.8] nor when the relay refuses the next try: that says nothing about the first', async ({
    alice,
    bot,
  }) => {
    await alice.openInvite(bot.client.identity.me().inviteUrl)
    await bot.next('chat')
    const buttons = [[{ text: 'Yes', data: 'yes' }]]
    await bot.client.messages.sendText(alice.chatId, { text: 'Well?', buttons }, WITHIN)
    const asked = await alice.hears('Well?')
    await expect.poll(() => alice.client.identity.profileOf(bot.id).bot).toBe(true)
    loseAnswers(alice, 'appendMarked')
    const pressed = alice.client.messages.press(bot.chatId, { message: asked.id, data: 'yes' }, WITHIN)
    await bot.next('button')
    mend(alice)
    refuseCalls(alice, 'storage-full', 'appendMarked')
    await expect(pressed).rejects.toSatisfy(coded('send-in-doubt'))
  })

  test('[CORE-4.11] a key that is asked for again waits no longer than it was given', async ({
    clock,
    bob,
    carol,
    givesUp,
    reconnect,
    talk,
  }) => {
    await carol.say(bob, 'first')
    const once = { ...soon, idempotency: { key: 'k', request: new Uint8Array([1]) } }
    const say = () => carol.client.messages.sendText(bob.chatId, { text: 'once' }, once)
    expect(await givesUp(say(), loseAnswers(carol, 'appendMarked', 'outcome'))).toSatisfy(coded('send-in-doubt'))
    const again = passWhenAwaited(clock, soon.timeoutMs, say())
    await expect(again).rejects.toSatisfy(coded('send-in-doubt'))
    await reconnect()
    expect((await carol.client.messages.sendText(bob.chatId, { text: 'once' }, { ...once, ...WITHIN })).text).toBe(
      'once',
    )
    await talk(carol)
    expect(bob.texts(carol).slice(0, 2)).toEqual(['first', 'once'])
  })
})

describe('many messages at once', () => {
  test.beforeEach(async ({ bob, carol }) => {
    await carol.say(bob, 'first')
    await bob.hears('first')
  })

  test('[CORE-4.10] however many are given up, what is said behind them is read', async ({
    clock,
    bob,
    carol,
    giveUp,
  }) => {
    const given = giveUp(250)
    const kept = carol.client.messages.sendText(bob.chatId, { text: 'kept' }, { timeoutMs: 3_600_000 })
    const codes = (await given).map(one => (one.status === 'rejected' ? (one.reason as { code: string }).code : 'sent'))
    expect(codes.filter(code => code === 'send-in-doubt')).toHaveLength(clientLimits.unsettledPerGroupMax)
    expect(codes.filter(code => code === 'relay-unreachable')).toHaveLength(250 - clientLimits.unsettledPerGroupMax)
    mend(carol)
    await passTime(clock, kept)
    await bob.hears('kept')
    expect(bob.texts(carol)).toEqual(['first', 'kept'])
  })

  test('[CORE-2.8] of many that find the keys used up, one renews them for all', async ({
    bob,
    carol,
    giveUp,
    reconnect,
  }) => {
    await giveUp(100)
    await reconnect()
    await carol.say(bob, 'the first of many')
    const commits = watchCalls(carol, 'commit')
    await giveUp(100)
    await reconnect()
    const words = Array.from({ length: 120 }, (_, at) => `m${at}`)
    const said = await Promise.allSettled(words.map(text => carol.say(bob, text)))
    expect(said.filter(one => one.status === 'rejected')).toEqual([])
    await carol.say(bob, 'last')
    await bob.hears('last')
    expect(bob.texts(carol).slice(2, -1).sort()).toEqual(words.sort())
    expect(commits.length).toBeLessThanOrEqual(2)
  })
})

describe('changes of a group', () => {
  test('[CORE-2.9] what was refused because the relay is out of reach does not come true later', async ({
    alice,
    bob,
    talk,
  }) => {
    const group = await groupOf(alice, bob)
    alice.wire.cut()
    const renamed = alice.client.chats.renameGroup(group, 'later', soon)
    await expect(renamed).rejects.toSatisfy(coded('relay-unreachable'))
    alice.wire.mend()
    await alice.online()
    await talk(alice, group)
    expect(bob.client.chats.get(group).name).toBe('team')
  })

  test('[CORE-2.9] one whose answer was lost goes out again, and the words that wait for it behind it', async ({
    alice,
    bob,
  }) => {
    const group = await groupOf(alice, bob)
    const lost = loseCalls(alice, 'commit')
    const renamed = alice.client.chats.renameGroup(group, 'soon', WITHIN)
    await expect.poll(lost).toBe(1)
    const said = alice.say(group, 'behind it')
    mend(alice)
    await Promise.all([renamed, said])
    await bob.hears('behind it')
    expect(bob.client.chats.get(group).name).toBe('soon')
  })

  test('[CORE-2.9] one sends it, however many wait for it', async ({ alice, bob, talk }) => {
    const group = await groupOf(alice, bob)
    const commits = watchCalls(alice, 'commit')
    alice.wire.hold()
    const renamed = alice.client.chats.renameGroup(group, 'soon', WITHIN)
    await expect.poll(() => commits.length).toBe(1)
    const said = Array.from({ length: 30 }, (_, at) => alice.say(group, `m${at}`))
    await expect.poll(() => alice.wire.held.length).toBeGreaterThanOrEqual(2)
    alice.wire.release()
    await Promise.all([renamed, ...said])
    expect(commits).toHaveLength(1)
    await talk(alice, group)
  })

  test('[CORE-2.10] what a storage fails at is not made anew', async ({ alice, bob, talk }) => {
    const group = await groupOf(alice, bob)
    const refused = refuseCalls(alice, 'storage-full', 'commit').commit
    const rename = () => alice.client.chats.renameGroup(group, 'soon', WITHIN)
    for (let tries = 0; tries < 3; tries++) await expect(rename()).rejects.toSatisfy(coded('send-in-doubt'))
    expect(refused.length).toBeGreaterThanOrEqual(3)
    expect(new Set(refused.map(payload => payload.toString('base64'))).size).toBe(1)
    mend(alice)
    await alice.online()
    await talk(alice, group)
    expect(bob.client.chats.get(group).name).toBe('soon')
  })

  test('[CORE-2.10] a relay whose disk was full for long is spoken to and understood again', async ({
    alice,
    bob,
    talk,
  }) => {
    const group = await groupOf(alice, bob)
    const refused = refuseCalls(alice, 'storage-full', 'appendMarked', 'commit')
    const count = clientLimits.withdrawnBeforeUpdate + 20
    for (let tries = 0; tries < count; tries++)
      await expect(alice.say(group, 'never')).rejects.toSatisfy(error => isCoded(error))
    expect(refused.appendMarked).toHaveLength(clientLimits.withdrawnBeforeUpdate)
    expect(new Set(refused.commit.map(payload => payload.toString('base64'))).size).toBe(1)
    mend(alice)
    await alice.online()
    await talk(alice, group)
    expect(bob.texts(group)).not.toContain('never')
  })

  test('[CORE-2.10] however often the relay refuses a change, the others can follow the next', async ({
    alice,
    bob,
    talk,
  }) => {
    const group = await groupOf(alice, bob)
    const refused = refuseCalls(alice, 'group-full', 'commit').commit
    for (let tries = 0; tries < clientLimits.withdrawnBeforeUpdate; tries++)
      await expect(alice.client.chats.renameGroup(group, `try ${tries}`, WITHIN)).rejects.toSatisfy(coded('group-full'))
    expect(new Set(refused.map(payload => payload.toString('base64'))).size).toBe(refused.length)
    const commits = watchCalls(alice, 'commit')
    await alice.client.chats.renameGroup(group, 'at last', WITHIN)
    expect(commits).toHaveLength(2)
    await talk(alice, group)
    expect(bob.client.chats.get(group).name).toBe('at last')
  })
})

describe('opening a chat', () => {
  test('[CORE-1.11] an opening whose answer was lost is not made anew: both sides are in the same group', async ({
    clock,
    bob,
    carol,
    givesUp,
    talk,
  }) => {
    const lost = loseAnswers(carol, 'commit')
    const said = carol.client.messages.sendText(bob.chatId, { text: 'x' }, soon)
    expect(await givesUp(said, lost)).toSatisfy(coded('relay-unreachable'))
    mend(carol)
    const commits = watchCalls(carol, 'commit')
    await passTime(clock, carol.client.whenOnline({ timeoutMs: 3_600_000 }))
    await talk(carol)
    expect(commits).toHaveLength(0)
  })

  test('[CORE-1.11] one that was settled only later is shown to its opener with its first word', async ({
    bob,
    carol,
    givesUp,
    reconnect,
    talk,
  }) => {
    const lost = loseAnswers(carol, 'commit', 'deliver')
    const said = carol.client.messages.sendText(bob.chatId, { text: 'x' }, soon)
    expect(await givesUp(said, lost)).toSatisfy(coded('relay-unreachable'))
    await reconnect()
    await carol.say(bob, 'hello')
    expect(carol.texts(bob)).toEqual(['hello'])
    await bob.hears('hello')
    await talk(carol)
  })

  test('[CORE-4.11] whoever waits for it waits no longer than it was given', async ({ bob, carol, givesUp }) => {
    const asked = loseCalls(carol, 'takeKeyPackages')
    const patient = carol.client.messages.sendText(bob.chatId, { text: 'patient' }, WITHIN)
    patient.catch(() => undefined)
    await expect.poll(asked).toBe(1)
    const hasty = carol.client.messages.sendText(bob.chatId, { text: 'hasty' }, soon)
    expect(await givesUp(hasty, asked)).toSatisfy(coded('relay-unreachable'))
  })
})
