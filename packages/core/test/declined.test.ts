// Declined requests: removed here, and nothing is sent to their makers.
import type { ChatId } from '@postern/protocol'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { describe, expect } from 'vitest'
import { piecesOf, randomFile } from './files-world.ts'
import { coreOf, groupOf } from './hostile/modified-client.ts'
import { sayBody } from './hostile/team.ts'
import { spokenOn } from './lossy-wire.ts'

const test = base
  .extend('asking', ({ world }) => world.person('asking', { acceptRequests: 'ask' }))
  .extend('said', ({ asking }) => spokenOn(asking.wire))
  .extend('requested', ({ asking }) => async (chat: ChatId, texts: string[]): Promise<void> => {
    await expect.poll(() => asking.client.chats.list().find(({ id }) => id === chat)?.state).toBe('request')
    await expect.poll(() => asking.texts(chat)).toEqual(texts)
  })

const rowsOf = (person: TestPerson, table: string) => coreOf(person).store.all(`SELECT * FROM ${table}`)
const listed = (person: TestPerson) => person.client.chats.list().map(({ id }) => id)

describe('[CORE-19.4] a private request that is declined', () => {
  test('is gone with all that came with it, and its person hears nothing', async ({
    mallory,
    asking,
    said,
    requested,
  }) => {
    await mallory.say(asking, 'one')
    const draft = await mallory.client.files.draft(piecesOf(randomFile(2000)))
    const { id: file } = await mallory.client.files.send(
      asking.chatId,
      { draft, name: 'two.bin', type: 'application/octet-stream', kind: 'file', text: 'two' },
      WITHIN,
    )
    await mallory.client.messages.react(asking.chatId, { message: file, emoji: '🦊' }, WITHIN)
    await requested(mallory.chatId, ['one', 'two'])
    const opened = await asking.client.files.open(mallory.chatId, file, WITHIN)
    for await (const _ of opened.read()) continue
    await expect.poll(() => rowsOf(asking, 'held_event')).toHaveLength(1)
    await asking.client.chats.decline(mallory.chatId)
    expect(listed(asking)).toEqual([])
    for (const table of ['message', 'notice', 'reaction', 'held_event', 'receipt_due'])
      expect(rowsOf(asking, table)).toEqual([])
    await expect.poll(() => rowsOf(asking, 'dead_file')).toEqual([])
    expect(() => asking.client.messages.list(mallory.chatId, { limit: 10 })).toThrow(/no chat/)
    expect(said).toEqual([])
    expect(mallory.client.messages.get(asking.chatId, file).status).toBe('sent')
  })

  test('comes back with the next message alone, also after a restart, and can be accepted then', async ({
    world,
    mallory,
    asking,
    said,
    requested,
  }) => {
    const { id: first } = await mallory.say(asking, 'one')
    await requested(mallory.chatId, ['one'])
    await asking.client.chats.decline(mallory.chatId)
    // A change of earlier content is no new request.
    await mallory.client.messages.edit(asking.chatId, { message: first, text: 'one, better' }, WITHIN)
    await mallory.client.messages.react(asking.chatId, { message: first, emoji: '🦊' }, WITHIN)
    await sayBody(mallory, asking.chatId, { kind: 'hello' })
    await mallory.client.messages.delete(asking.chatId, { message: first, for: 'all' }, WITHIN)
    await world.close(asking)
    const again = await world.person('asking', { acceptRequests: 'ask' })
    const { ts } = await mallory.say(again, 'two')
    await expect.poll(() => listed(again)).toEqual([mallory.chatId])
    expect(again.texts(mallory)).toEqual(['two'])
    // It was shown with that message, and not by anything before it.
    expect(again.client.chats.get(mallory.chatId)).toMatchObject({ state: 'request', unread: 1, name: 'mallory', ts })
    expect(said).toEqual([])
    await again.client.chats.accept(mallory.chatId)
    await again.say(mallory, 'well then')
    await mallory.hears('well then')
  })

  test('does not keep its owner from writing first', async ({ mallory, asking, requested }) => {
    await mallory.say(asking, 'one')
    await requested(mallory.chatId, ['one'])
    await asking.client.chats.decline(mallory.chatId)
    await asking.say(mallory, 'on second thoughts')
    await mallory.hears('on second thoughts')
    expect(asking.texts(mallory)).toEqual(['on second thoughts'])
    await mallory.say(asking, 'thanks')
    await asking.hears('thanks')
  })

  test('comes back also where the welcome of its person could not be read', async ({ mallory, asking, world }) => {
    await world.close(asking)
    await mallory.say(asking, 'one')
    const group = groupOf(mallory, asking.chatId)
    const again = await world.person('asking', { acceptRequests: 'ask' })
    await expect.poll(() => listed(again)).toEqual([mallory.chatId])
    // As after the loss of its keys: messages there cannot be read.
    coreOf(again).groups.forget(group)
    await coreOf(again).store.write(database => {
      database.run('DELETE FROM mls_group')
      database.run('DELETE FROM mls_state')
      database.run('DELETE FROM message')
    })
    await mallory.say(again, 'two')
    await expect.poll(() => rowsOf(again, 'lost_group')).toHaveLength(1)
    await again.client.chats.decline(mallory.chatId)
    expect(listed(again)).toEqual([])
    await mallory.say(again, 'three')
    await expect.poll(() => listed(again)).toEqual([mallory.chatId])
  })
})

describe('[CORE-19.5] a group request that is declined', () => {
  const madeBy = async (maker: TestPerson, members: TestPerson[], text: string): Promise<ChatId> => {
    const group = { name: 'trap', members: members.map(({ id }) => id) }
    const { id } = await maker.client.chats.createGroup(group, WITHIN)
    await maker.say(id, text)
    return id
  }

  test('is left without a name, and what comes until then is not kept', async ({
    mallory,
    carol,
    asking,
    said,
    requested,
  }) => {
    const chat = await madeBy(mallory, [asking, carol], 'one')
    await requested(chat, ['one'])
    asking.wire.cut()
    await asking.client.chats.decline(chat)
    expect(listed(asking)).toEqual([])
    await mallory.say(chat, 'two')
    expect(said).toEqual([])
    asking.wire.mend()
    await mallory.next('notice', ({ notice }) => notice.code === 'left' && notice.from.id === asking.id)
    expect(said).toEqual(['appendMarked'])
    expect(mallory.client.identity.profileOf(asking.id).name).toBe(asking.id.slice(0, 8))
    await mallory.say(chat, 'three')
    await carol.hears('three')
    await expect.poll(() => mallory.client.chats.get(chat).members).toHaveLength(2)
    expect(listed(asking)).toEqual([])
    expect(rowsOf(asking, 'message')).toEqual([])
  })

  test('is left after a restart, too, and a later invitation is a new request', async ({
    world,
    mallory,
    asking,
    requested,
  }) => {
    const chat = await madeBy(mallory, [asking], 'one')
    await requested(chat, ['one'])
    asking.wire.cut()
    await asking.client.chats.decline(chat)
    await world.close(asking)
    const again = await world.person('asking', { acceptRequests: 'ask' })
    await mallory.next('notice', ({ notice }) => notice.code === 'left')
    await mallory.say(chat, 'alone')
    await mallory.client.chats.addMembers(chat, [again.id], WITHIN)
    await mallory.say(chat, 'again')
    await expect.poll(() => listed(again)).toEqual([chat])
    await expect.poll(() => again.texts(chat)).toEqual(['again'])
    expect(again.client.chats.get(chat).state).toBe('request')
  })
})

describe('[CORE-19.6] what is declined', () => {
  test('is a request, and nothing else', async ({ alice, asking, requested }) => {
    await alice.say(asking, 'one')
    await requested(alice.chatId, ['one'])
    await asking.client.chats.accept(alice.chatId)
    await expect(asking.client.chats.decline(alice.chatId)).rejects.toMatchObject({ code: 'chat-not-request' })
    expect(asking.texts(alice)).toEqual(['one'])
    const nobody = 'a'.repeat(32) as ChatId
    await expect(asking.client.chats.decline(nobody)).rejects.toMatchObject({ code: 'chat-not-found' })
  })

  test('or accepted at the same moment is what came first', async ({ alice, mallory, asking, requested }) => {
    await alice.say(asking, 'one')
    await mallory.say(asking, 'two')
    await requested(alice.chatId, ['one'])
    await requested(mallory.chatId, ['two'])
    const { chats } = asking.client
    const both = await Promise.allSettled([chats.accept(alice.chatId), chats.decline(alice.chatId)])
    expect(both).toMatchObject([{ status: 'fulfilled' }, { reason: { code: 'chat-not-request' } }])
    const other = await Promise.allSettled([chats.decline(mallory.chatId), chats.accept(mallory.chatId)])
    expect(other).toMatchObject([{ status: 'fulfilled' }, { reason: { code: 'chat-not-found' } }])
    expect(listed(asking)).toEqual([alice.chatId])
    await asking.say(alice, 'hello')
    await alice.hears('hello')
  })
})
