// Requests that are repeated under their key: each counts once, whatever was lost in between, and undoes nothing.
import type { Message } from '@postern/bot-api/objects'
import { isCoded } from '@postern/protocol'
import { decodeRelayFrame } from '@postern/protocol/relay'
import { passTime, type TestPerson, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { describe, expect } from 'vitest'
import type { JournalEvent } from '../src/journal/journal.ts'
import { coreOf } from './hostile/modified-client.ts'

const under = (key: string) => ({ ...WITHIN, idempotency: { key, request: new Uint8Array(32).fill(1) } })
const withOther = (key: string) => ({ ...WITHIN, idempotency: { key, request: new Uint8Array(32).fill(2) } })

const eventsOf = <Type extends JournalEvent['type']>(person: TestPerson, type: Type) =>
  person.client.journal
    .read(0, 1000)
    .map(({ json }) => JSON.parse(json) as JournalEvent)
    .filter((event): event is Extract<JournalEvent, { type: Type }> => event.type === type)

const test = base
  .extend('worldOptions', ({ relayClock }) => ({ relayClock }))
  .extend('carol', ({ world, clock }) => world.person('carol', { clock }))
  /** The bot has sent carol a message with a button. */
  .extend('offered', ({ carol, bot }) => async (): Promise<Message> => {
    await carol.openInvite(bot.client.identity.me().inviteUrl)
    const buttons = [[{ text: 'Yes', data: 'yes' }]]
    const said = await bot.client.messages.sendText(carol.chatId, { text: 'Well?', buttons }, WITHIN)
    await carol.hears('Well?')
    return said
  })
  /** The relay accepts her message, and its answer does not come before her time is up. */
  .extend('inDoubt', ({ carol, clock }) => async (work: () => Promise<unknown>, taken: () => Promise<unknown>) => {
    carol.wire.incoming = frame => {
      const decoded = decodeRelayFrame(frame)
      return decoded.kind === 'answer' && decoded.name === 'appendMarked' ? [] : [frame]
    }
    const tried = work()
    await taken()
    clock.advance(WITHIN.timeoutMs)
    await expect(tried).rejects.toSatisfy(error => isCoded(error, 'send-in-doubt'))
    carol.wire.incoming = frame => [frame]
  })

describe('[CORE-5.15] a press', () => {
  test('asked for twice at once, and once more, is one press with one id', async ({ carol, bot, offered }) => {
    const { id: message } = await offered()
    const press = (data = 'yes') => carol.client.messages.press(bot.chatId, { message, data }, under('p'))
    const [one, two] = await Promise.all([press(), press()])
    const three = await press()
    expect([two, three]).toEqual([one, one])
    await carol.say(bot, 'last')
    await bot.hears('last')
    expect(eventsOf(bot, 'button').map(({ button }) => button.press_id)).toEqual([one])
    await expect(
      carol.client.messages.press(bot.chatId, { message, data: 'yes' }, withOther('p')),
    ).rejects.toMatchObject({ code: 'idempotency-conflict' })
    const other = await carol.client.messages.press(bot.chatId, { message, data: 'yes' }, under('q'))
    expect(other).not.toBe(one)
  })

  test('in doubt, and asked for again after a restart, counts once, also when its button is gone by then', async ({
    world,
    clock,
    carol,
    bot,
    offered,
    inDoubt,
  }) => {
    const { id: message } = await offered()
    const asked = { message, data: 'yes' }
    await inDoubt(
      () => carol.client.messages.press(bot.chatId, asked, under('p')),
      () => bot.next('button'),
    )
    const [first] = eventsOf(bot, 'button')
    await bot.client.messages.edit(carol.chatId, { message, buttons: [] }, WITHIN)
    await carol.next('edited')
    await world.close(carol)
    const again = await world.person('carol', { clock })
    expect(await again.client.messages.press(bot.chatId, asked, under('p'))).toBe(first?.button.press_id)
    await again.say(bot, 'last')
    await bot.hears('last')
    expect(eventsOf(bot, 'button')).toHaveLength(1)
    await expect(again.client.messages.press(bot.chatId, asked, under('new'))).rejects.toMatchObject({
      code: 'bad-field',
    })
  })

  test('that never left is sent by the next try, under the id of the first', async ({ carol, bot, offered, clock }) => {
    const { id: message } = await offered()
    carol.wire.cut()
    const press = () => carol.client.messages.press(bot.chatId, { message, data: 'yes' }, under('p'))
    const tried = press()
    await expect.poll(() => coreOf(carol).store.all('SELECT 1 FROM press')).toHaveLength(1)
    clock.advance(WITHIN.timeoutMs)
    await expect(tried).rejects.toMatchObject({ code: 'relay-unreachable' })
    carol.wire.mend()
    const pressed = await passTime(clock, press())
    expect((await bot.next('button')).button.press_id).toBe(pressed)
  })
})

describe('[CORE-5.15] what is said about messages', () => {
  test('once under its key undoes nothing that was said since', async ({ alice, bob }) => {
    const { id: message } = await alice.say(bob, 'zero')
    await bob.hears('zero')
    const { messages } = alice.client
    const chat = bob.chatId
    const edit = () => messages.edit(chat, { message, text: 'one' }, under('e'))
    const react = () => messages.react(chat, { message, emoji: '🦊' }, under('r'))
    await Promise.all([edit(), edit(), react(), react()])
    await messages.edit(chat, { message, text: 'two' }, WITHIN)
    await messages.react(chat, { message, emoji: '🐙' }, WITHIN)
    expect((await edit()).text).toBe('two')
    await react()
    await alice.say(bob, 'last')
    await bob.hears('last')
    expect(bob.client.messages.get(alice.chatId, message)).toMatchObject({
      text: 'two',
      reactions: [{ emoji: '🐙' }],
    })
    expect(eventsOf(bob, 'edited')).toHaveLength(2)
    expect(eventsOf(bob, 'reaction')).toHaveLength(2)
  })

  test('a deletion is no error the second time, for all and for oneself', async ({ alice, bob }) => {
    for (const whom of ['all', 'me'] as const) {
      const { id: message } = await alice.say(bob, whom)
      const remove = () => alice.client.messages.delete(bob.chatId, { message, for: whom }, under(whom))
      await Promise.all([remove(), remove()])
      await remove()
      await expect(
        alice.client.messages.delete(bob.chatId, { message, for: whom }, under(`${whom} anew`)),
      ).rejects.toMatchObject({ code: 'message-not-found' })
    }
    await alice.say(bob, 'last')
    await bob.hears('last')
    expect(bob.texts(alice)).toEqual(['me', 'last'])
  })

  test('a call in doubt rings once', async ({ carol, bot, offered, inDoubt, clock }) => {
    await offered()
    const call = () => carol.client.messages.call(bot.chatId, under('c'))
    await inDoubt(call, () => bot.next('notice', ({ notice }) => notice.code === 'call_declined'))
    carol.wire.drop()
    await passTime(clock, carol.client.whenOnline({ timeoutMs: 3_600_000 }))
    await call()
    await call()
    await carol.say(bot, 'last')
    await bot.hears('last')
    expect(eventsOf(bot, 'notice').filter(({ notice }) => notice.code === 'call_declined')).toHaveLength(1)
  })

  test('a farewell is no error the second time', async ({ alice, bob }) => {
    const id = await alice.createGroup('two', [bob])
    const leave = () => bob.client.chats.leaveGroup(id, under('l'))
    await Promise.all([leave(), leave()])
    await leave()
    await expect(bob.client.chats.leaveGroup(id, WITHIN)).rejects.toMatchObject({ code: 'chat-left' })
    await alice.next('notice', ({ notice }) => notice.code === 'left')
  })
})

describe('[CORE-5.16] a change of a group', () => {
  test('once under its key undoes nothing that others have changed since', async ({ alice, bob, carol }) => {
    const id = await alice.createGroup('zero', [bob])
    const { chats } = alice.client
    const changes = [
      () => chats.renameGroup(id, 'one', under('name')),
      () => chats.setTimer(id, 60_000, under('timer')),
      () => chats.addMembers(id, [carol.id], under('add')),
      () => chats.removeMembers(id, [carol.id], under('remove')),
    ]
    for (const change of changes) await change()
    await bob.next('notice', ({ notice }) => notice.code === 'removed')
    await bob.client.chats.renameGroup(id, 'two', WITHIN)
    await bob.client.chats.setTimer(id, 0, WITHIN)
    await bob.client.chats.addMembers(id, [carol.id], WITHIN)
    const isThere = () => chats.get(id).members.some(member => member.id === carol.id)
    await expect.poll(isThere).toBe(true)
    for (const change of changes) expect(await change()).toMatchObject({ name: 'two', timer_ms: 0 })
    expect(isThere()).toBe(true)
    await expect(chats.renameGroup(id, 'x', withOther('name'))).rejects.toMatchObject({ code: 'idempotency-conflict' })
  })

  test('that was cut off before its end is taken up again', async ({ alice, bob, carol }) => {
    const { id } = await alice.client.chats.createGroup({ name: 'zero', members: [bob.id, carol.id] }, WITHIN)
    const { chats } = alice.client
    await chats.removeMembers(id, [carol.id], under('remove'))
    // As if it had been killed between the relay's answer and the note of it.
    await coreOf(alice).store.write(database => database.run('UPDATE sent_key SET ts = NULL'))
    expect((await chats.removeMembers(id, [carol.id], under('remove'))).members).toHaveLength(2)
    await expect(chats.removeMembers(id, [carol.id], WITHIN)).rejects.toMatchObject({ code: 'not-a-member' })
  })
})
