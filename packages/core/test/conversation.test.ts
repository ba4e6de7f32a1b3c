// Everything that can be done with a message after it was sent: edits, deletions, reactions, receipts, timers.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { messageIdOf } from '@postern/bot-api'
import type { Message } from '@postern/bot-api/objects'
import { isCoded } from '@postern/protocol'
import { decodeClientFrame, decodeRelayFrame } from '@postern/protocol/relay'
import { passTime, type TestPerson, WITHIN } from '@postern/testkit'
import { test } from '@postern/testkit/fixtures'
import Sqlite from 'better-sqlite3-multiple-ciphers'
import { describe, expect, vi } from 'vitest'

/** Every page of the database without its encryption, including free ones and leftovers. */
function plainBytesOf(directory: string): string {
  const path = join(directory, 'core.db')
  const sqlite = new Sqlite(path)
  sqlite.pragma("cipher='aegis'")
  sqlite.pragma(`key='raw:${readFileSync(join(directory, 'db.key')).toString('hex')}'`)
  sqlite.pragma('journal_mode = DELETE')
  sqlite.pragma("rekey=''")
  sqlite.close()
  return readFileSync(path, 'latin1')
}

const seenBy = (person: TestPerson, chat: TestPerson, message: Message) =>
  person.client.messages.get(chat.chatId, message.id)
const kindsOf = (person: TestPerson) =>
  person.client.journal.read(0, 1000).map(entry => (JSON.parse(entry.json) as { type: string }).type)

describe('edits', () => {
  test('[CORE-5.1, CORE-5.11] the others see the new words; oneself is told nothing', async ({ alice, bob }) => {
    const said = await alice.say(bob, 'helo')
    await bob.hears('helo')
    const before = kindsOf(alice).length
    const edited = await alice.client.messages.edit(bob.chatId, { message: said.id, text: 'hello' }, WITHIN)
    expect(edited).toMatchObject({ id: said.id, text: 'hello', ts: said.ts, edited_ts: expect.any(Number) })
    const told = await bob.next('edited')
    expect(told.message).toMatchObject({ id: said.id, text: 'hello', from: { id: alice.id } })
    expect(seenBy(bob, alice, said).text).toBe('hello')
    expect(kindsOf(alice).slice(before)).not.toContain('edited')
  })

  test('[CORE-5.1] nobody edits what others said, or what is older than two days', async ({ clock, world, bob }) => {
    const carol = await world.person('carol', { clock })
    const said = await carol.say(bob, 'mine')
    await bob.hears('mine')
    const edit = { message: said.id, text: 'changed' }
    await expect(bob.client.messages.edit(carol.chatId, edit, WITHIN)).rejects.toSatisfy(error =>
      isCoded(error, 'not-own-message'),
    )
    // The message has the relay's time, which has advanced while this clock was stopped.
    clock.leap(49 * 3_600_000)
    await expect(carol.client.messages.edit(bob.chatId, edit, WITHIN)).rejects.toSatisfy(error =>
      isCoded(error, 'edit-too-late'),
    )
    expect(seenBy(bob, carol, said).text).toBe('mine')
  })
})

describe('deletions', () => {
  test('[CORE-5.2] for everyone: row, reactions and waiting words are gone', async ({ alice, bob }) => {
    const said = await alice.say(bob, 'a secret slip')
    await bob.hears('a secret slip')
    await bob.client.messages.react(alice.chatId, { message: said.id, emoji: '😱' }, WITHIN)
    await alice.next('reaction')
    await alice.client.messages.delete(bob.chatId, { message: said.id, for: 'all' }, WITHIN)
    const told = await bob.next('deleted')
    expect(told.deleted).toEqual({ message_id: said.id, from: { id: alice.id, name: 'alice' } })
    for (const [person, chat] of [
      [alice, bob],
      [bob, alice],
    ] as const) {
      expect(() => seenBy(person, chat, said)).toThrow(expect.objectContaining({ code: 'message-not-found' }))
      expect(
        person.client.journal
          .read(0, 100)
          .map(entry => entry.json)
          .join(),
      ).not.toContain('a secret slip')
    }
    expect(bob.client.chats.get(alice.chatId).unread).toBe(0)
  })

  test('[CORE-5.8] on every side, the write-ahead log included', async ({ alice, bob }) => {
    const said = await alice.say(bob, 'a secret slip')
    await bob.hears('a secret slip')
    const { store } = bob.client['core']
    const eraseTraces = vi.spyOn(store, 'eraseTraces')
    await alice.client.messages.delete(bob.chatId, { message: said.id, for: 'all' }, WITHIN)
    await bob.next('deleted')
    expect(eraseTraces).toHaveBeenCalled()
  })

  test('[CORE-5.2] only by the sender', async ({ alice, bob }) => {
    const said = await alice.say(bob, 'stays')
    await bob.hears('stays')
    const deletion = { message: said.id, for: 'all' as const }
    await expect(bob.client.messages.delete(alice.chatId, deletion, WITHIN)).rejects.toSatisfy(error =>
      isCoded(error, 'not-own-message'),
    )
  })

  test('[CORE-5.3] here alone: the others keep it', async ({ alice, bob }) => {
    const said = await alice.say(bob, 'not for me')
    await bob.hears('not for me')
    await bob.client.messages.delete(alice.chatId, { message: said.id, for: 'me' }, WITHIN)
    expect(bob.texts(alice)).toEqual([])
    expect(alice.texts(bob)).toEqual(['not for me'])
  })
})

test('[CORE-5.4] one reaction each: set, replaced, taken back', async ({ alice, bob }) => {
  const said = await alice.say(bob, 'react to me')
  await bob.hears('react to me')
  const react = (emoji: string) => bob.client.messages.react(alice.chatId, { message: said.id, emoji }, WITHIN)
  await react('👍')
  expect((await alice.next('reaction')).reaction).toMatchObject({
    message_id: said.id,
    emoji: '👍',
    from: { id: bob.id },
  })
  await react('👩‍👩‍👧')
  await alice.next('reaction')
  expect(seenBy(alice, bob, said).reactions).toEqual([{ emoji: '👩‍👩‍👧', from: { id: bob.id, name: 'bob' } }])
  await react('')
  expect((await alice.next('reaction')).reaction.emoji).toBe('')
  expect(seenBy(alice, bob, said)).not.toHaveProperty('reactions')
  for (const bad of ['ok', '👍👍', 'x', ' '])
    await expect(react(bad)).rejects.toSatisfy(error => isCoded(error, 'bad-field'))
})

describe('receipts', () => {
  test('[CORE-5.5, CORE-5.6] delivered by itself, read when marked, and only up to there', async ({ alice, bob }) => {
    const first = await alice.say(bob, 'one')
    const second = await alice.say(bob, 'two')
    await bob.hears('two')
    expect(bob.client.chats.get(alice.chatId).unread).toBe(2)
    await alice.next('receipt', event => event.receipt.message_id === second.id && event.receipt.status === 'delivered')
    expect(seenBy(alice, bob, first).status).toBe('delivered')
    await bob.client.messages.markRead(alice.chatId, first.id)
    expect(bob.client.chats.get(alice.chatId).unread).toBe(1)
    const read = await alice.next('receipt', event => event.receipt.status === 'read')
    expect(read.receipt).toMatchObject({ message_id: first.id, from: { id: bob.id } })
    expect([seenBy(alice, bob, first).status, seenBy(alice, bob, second).status]).toEqual(['read', 'delivered'])
    await bob.client.messages.markRead(alice.chatId)
    await expect.poll(() => seenBy(alice, bob, second).status).toBe('read')
    expect(bob.client.chats.get(alice.chatId).unread).toBe(0)
  })

  test('[CORE-5.5] in a group the author alone is told', async ({ alice, bob, carol }) => {
    const chat = await alice.createGroup('three', [bob, carol])
    const said = await alice.say(chat, 'who reads this?')
    await bob.hears('who reads this?')
    await carol.hears('who reads this?')
    await bob.client.messages.markRead(chat)
    await alice.next('receipt', event => event.receipt.message_id === said.id && event.receipt.status === 'read')
    expect(alice.client.messages.get(chat, said.id).status).toBe('read')
    await carol.say(chat, 'nothing was told to me')
    await bob.hears('nothing was told to me')
    const told = carol.client.journal.read(0, 100).map(entry => entry.json)
    expect(told.filter(json => json.includes('"receipt"') && json.includes(bob.id) && json.includes(said.id))).toEqual(
      [],
    )
  })
})

describe('disappearing messages', () => {
  test('[CORE-5.7, CORE-5.8] gone for the sender after sending, for the reader after reading, from every file', async ({
    clock,
    world,
    alice,
  }) => {
    const reader = await world.person('reader', { clock })
    await alice.say(reader, 'hello')
    await reader.hears('hello')
    await reader.client.chats.setTimer(alice.chatId, 60_000, WITHIN)
    await alice.next('notice', event => event.notice.code === 'timer')
    expect(alice.client.chats.get(reader.chatId).timer_ms).toBe(60_000)
    const said = await alice.say(reader, 'burn after reading')
    expect(said.expires_ts).toBe(said.ts + 60_000)
    await reader.hears('burn after reading')
    clock.leap(120_000)
    expect(seenBy(reader, alice, said).text).toBe('burn after reading')
    await reader.client.messages.markRead(alice.chatId)
    expect(seenBy(reader, alice, said).expires_ts).toBe(clock.nowMs() + 60_000)
    // The due work is checked shortly after the burst; then the minute passes.
    clock.advance(1000)
    clock.advance(60_000)
    expect((await reader.next('expired')).expired).toEqual([said.id])
    expect(reader.texts(alice)).toEqual(['hello'])
    expect(
      reader.client.journal
        .read(0, 100)
        .map(entry => entry.json)
        .join(),
    ).not.toContain('burn after reading')
    await world.close(reader)
    const bytes = plainBytesOf(reader.directory)
    expect(bytes).toContain('hello')
    expect(bytes).not.toContain('burn after reading')
  })

  const inRelayTime = test.extend('worldOptions', ({ clock }) => ({ relayClock: clock }))

  inRelayTime('[CORE-5.7] also when the reader was away at that time', async ({ clock, world, alice }) => {
    let reader = await world.person('reader', { clock })
    await reader.say(alice, 'hello')
    await alice.hears('hello')
    await reader.client.chats.setTimer(alice.chatId, 1000, WITHIN)
    await reader.say(alice, 'mine')
    await world.close(reader)
    clock.leap(3_600_000)
    reader = await world.person('reader', { clock })
    clock.advance(0)
    expect((await reader.next('expired')).expired).toHaveLength(1)
    expect(reader.texts(alice)).toEqual(['hello'])
  })
})

test('[CORE-5.9] a bot declines calls, and both sides see it', async ({ alice, bot }) => {
  await alice.openInvite(bot.client.identity.me().inviteUrl)
  await bot.next('chat')
  await alice.client.messages.call(bot.chatId, WITHIN)
  expect((await bot.next('notice')).notice).toMatchObject({ code: 'call_declined', from: { id: alice.id } })
  expect((await alice.next('notice')).notice).toMatchObject({ code: 'call_declined', from: { id: bot.id } })
})

test('[CORE-5.10] a command in a group mentions the one bot there', async ({ alice, bob, bot }) => {
  await alice.openInvite(bot.client.identity.me().inviteUrl)
  await expect.poll(() => alice.client.identity.profileOf(bot.id).bot).toBe(true)
  const group = await alice.client.chats.createGroup({ name: 'with a bot', members: [bot.id, bob.id] }, WITHIN)
  await bot.next('chat', event => event.chat_id === group.id)
  await alice.say(group.id, '/start now')
  const heard = await bot.hears('/start now')
  expect(heard.mentions).toEqual([{ user: bot.id, offset: 0, length: 6 }])
  await alice.say(group.id, 'no command')
  expect(await bot.hears('no command')).not.toHaveProperty('mentions')
})

describe('idempotency', () => {
  const request = new Uint8Array(32).fill(1)
  const under = (key: string) => ({ ...WITHIN, idempotency: { key, request } })

  test('[CORE-5.12] the same key sends once', async ({ alice, bob }) => {
    await alice.say(bob, 'first')
    const send = () => alice.client.messages.sendText(bob.chatId, { text: 'once' }, under('k'))
    const [one, two] = await Promise.all([send(), send()])
    const three = await send()
    expect([two.id, three.id]).toEqual([one.id, one.id])
    await alice.say(bob, 'last')
    await bob.hears('last')
    expect(bob.texts(alice)).toEqual(['first', 'once', 'last'])
    const other = { ...WITHIN, idempotency: { key: 'k', request: new Uint8Array(32).fill(2) } }
    await expect(alice.client.messages.sendText(bob.chatId, { text: 'another' }, other)).rejects.toSatisfy(error =>
      isCoded(error, 'idempotency-conflict'),
    )
  })

  test('[CORE-5.12] a send that was in doubt is found, whether the relay has it or not', async ({
    clock,
    world,
    bob,
  }) => {
    const carol = await world.person('carol', { clock })
    await carol.say(bob, 'first')
    const send = (key: string) =>
      carol.client.messages.sendText(bob.chatId, { text: key }, { ...under(key), timeoutMs: 300 })
    const isInDoubt = (error: unknown) => isCoded(error, 'send-in-doubt')
    carol.wire.incoming = bytes => {
      const frame = decodeRelayFrame(bytes.slice())
      return frame.kind === 'answer' && frame.name === 'appendMarked' ? [] : [bytes]
    }
    const taken = send('has it')
    await bob.hears('has it')
    clock.advance(300)
    await expect(taken).rejects.toSatisfy(isInDoubt)
    carol.wire.incoming = frame => [frame]
    let lost = 0
    carol.wire.outgoing = bytes => {
      const frame = decodeClientFrame(bytes.slice())
      if (frame.kind !== 'call' || frame.name !== 'appendMarked') return [bytes]
      lost++
      return []
    }
    const untaken = send('has it not')
    await expect.poll(() => lost).toBe(1)
    clock.advance(300)
    await expect(untaken).rejects.toSatisfy(isInDoubt)
    carol.wire.outgoing = frame => [frame]
    carol.wire.drop()
    await passTime(clock, carol.client.whenOnline({ timeoutMs: 3_600_000 }))
    expect(await carol.client.messages.findSent(bob.chatId, under('has it'))).toMatchObject({ text: 'has it' })
    for (const key of ['has it not', 'never said'])
      expect(await carol.client.messages.findSent(bob.chatId, under(key))).toBeUndefined()
    for (const key of ['has it', 'has it not'])
      await carol.client.messages.sendText(bob.chatId, { text: key }, under(key))
    await bob.hears('has it not')
    expect(bob.texts(carol)).toEqual(['first', 'has it', 'has it not'])
    expect(carol.texts(bob)).toEqual(['first', 'has it', 'has it not'])
  })

  test('[CORE-5.12] a group is made once', async ({ alice, bob }) => {
    const create = () => alice.client.chats.createGroup({ name: 'one', members: [bob.id] }, under('g'))
    const [one, two] = [await create(), await create()]
    expect(two.id).toBe(one.id)
    expect(alice.client.chats.list()).toHaveLength(1)
  })

  test('[CORE-5.12] what was deleted since is not sent again', async ({ alice, bob }) => {
    await alice.say(bob, 'first')
    const sent = await alice.client.messages.sendText(bob.chatId, { text: 'gone' }, under('k'))
    await alice.client.messages.delete(bob.chatId, { message: sent.id, for: 'all' }, WITHIN)
    const again = await alice.client.messages.sendText(bob.chatId, { text: 'gone' }, under('k'))
    expect(again.id).toBe(sent.id)
    expect(again).not.toHaveProperty('text')
    expect(alice.texts(bob)).toEqual(['first'])
  })
})

test('[CORE-5.13] a reply names a message of its chat', async ({ alice, bob }) => {
  const said = await alice.say(bob, 'answer me')
  await bob.hears('answer me')
  const answer = await bob.client.messages.sendText(alice.chatId, { text: 'here', replyTo: said.id }, WITHIN)
  expect(answer.reply_to).toBe(said.id)
  expect((await alice.hears('here')).reply_to).toBe(said.id)
  const nowhere = messageIdOf('a'.repeat(32))
  await expect(bob.client.messages.sendText(alice.chatId, { text: 'x', replyTo: nowhere }, WITHIN)).rejects.toSatisfy(
    error => isCoded(error, 'bad-field'),
  )
})
