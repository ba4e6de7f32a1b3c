// Finding messages: by their text, and the first unread one.
import type { MessageSearch } from '@postern/core'
import { clientLimits } from '@postern/protocol'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { test } from '@postern/testkit/fixtures'
import { describe, expect } from 'vitest'
import { setChatState } from '../src/chats/records/chats.ts'
import { coreOf } from './hostile/modified-client.ts'
import { put } from './put-message.ts'

const found = (person: TestPerson, wanted: Partial<MessageSearch>): string[] =>
  person.client.messages
    .search({ text: '', limit: 50, ...wanted })
    .map(({ text, file, poll }) => text ?? file?.name ?? poll?.question ?? '')

describe('[CORE-23.9] a search', () => {
  const talking = test.extend('chat', async ({ alice, bob }) => {
    await alice.say(bob, 'hello')
    return bob.chatId
  })

  talking.for([
    ['Привет, Мир', ['привет', 'ПРИВЕТ', 'пРиВеТ, мИр', 'мир']],
    ['ΟΔΥΣΣΕΥΣ', ['οδυσσευς', 'Οδυσσεύς'.normalize('NFD').replaceAll('\u0301', '')]],
    ['Straße', ['straße', 'STRAßE']],
    ['a "quoted" back\\slash', ['"quoted"', 'BACK\\SLASH']],
    ['100% of [it] * under_score?', ['100% OF', '[it] *', 'UNDER_SCORE?']],
    ['two\nlines', ['two\nLines']],
    ['👍 fine', ['👍 F']],
    ['re\u0301sume\u0301', ['RÉSUMÉ', 'résumé']],
  ] as const)('finds %j', async ([text, queries], { alice, chat }) => {
    await put(alice, { id: 'one', chat, ts: 1, body: { kind: 'text', text } })
    await put(alice, { id: 'two', chat, ts: 2, body: { kind: 'text', text: 'something else' } })
    for (const query of queries) expect(found(alice, { text: query })).toEqual([text])
  })

  talking('looks at what people read and at nothing else, newest first', async ({ alice, bob, chat }) => {
    const file = { kind: 'file', blob: 'needle', key: 'needle', digest: 'needle', size: 1, type: 'text/needle' }
    await put(alice, { id: 'a', chat, ts: 1, body: { kind: 'poll', question: 'A Needle?', options: ['yes', 'no'] } })
    await put(alice, { id: 'b', chat, ts: 2, body: { kind: 'poll', question: 'What?', options: ['a NEEDLE', 'no'] } })
    await put(alice, { id: 'c', chat, ts: 3, body: { ...file, shownAs: 'file', name: 'needle.pdf' } })
    await put(alice, { id: 'd', chat, ts: 4, body: { ...file, shownAs: 'file', name: 'x', text: 'the needle' } })
    await put(alice, { id: 'e', chat, ts: 5, body: { ...file, shownAs: 'file', name: 'x' } })
    await put(alice, { id: 'f', chat, ts: 6, body: { kind: 'unknown', needle: 'needle' } })
    expect(found(alice, { text: 'needle' })).toEqual(['the needle', 'needle.pdf', 'What?', 'A Needle?'])
    expect(found(alice, { text: 'kind' })).toEqual([])
    expect(found(alice, { text: '  ' })).toEqual([])
    expect(found(alice, { text: 'needle', chat: bob.chatId, beforeTs: 3, limit: 1 })).toEqual(['What?'])
    const tooLong = { text: 'x'.repeat(clientLimits.searchCharsMax + 1) }
    expect(() => found(alice, tooLong)).toThrow(expect.objectContaining({ code: 'bad-field' }))
  })

  talking('goes on behind many that only look alike, and loses none of one moment', async ({ alice, carol, chat }) => {
    await alice.say(carol, 'hello carol')
    const many = clientLimits.searchRowsPerTurn + 50
    for (let at = 0; at < many; at++)
      await put(alice, { id: `n${at}`, chat, ts: 100 + at, body: { kind: 'text', text: 'x' } })
    for (const [at, where] of [chat, carol.chatId].entries())
      await put(alice, { id: `t${at}`, chat: where, ts: 7, body: { kind: 'text', text: `a text ${at}` } })
    expect(found(alice, { text: 'TEXT', limit: 1 }).sort()).toEqual(['a text 0', 'a text 1'])
    expect(found(alice, { text: 'text', chat, limit: 1 })).toEqual(['a text 0'])
  })

  talking('finds in chats that were left, and not in requests', async ({ alice, carol, chat }) => {
    await alice.say(carol, 'hello carol')
    const { store } = coreOf(alice)
    await store.write(database => setChatState(database, chat, 'left'))
    await store.write(database => setChatState(database, carol.chatId, 'request'))
    expect(found(alice, { text: 'hello' })).toEqual(['hello'])
    expect(found(alice, { text: 'hello', chat: carol.chatId })).toEqual(['hello carol'])
  })

  const inRelayTime = test.extend('worldOptions', ({ clock }) => ({ relayClock: clock }))

  inRelayTime('finds nothing by words that are no more', async ({ clock, world, bob }) => {
    const alice = await world.person('alice', { clock })
    const edited = await alice.say(bob, 'old words')
    const deleted = await alice.say(bob, 'deleted words')
    await alice.client.messages.edit(bob.chatId, { message: edited.id, text: 'new ones' }, WITHIN)
    await alice.client.messages.delete(bob.chatId, { message: deleted.id, for: 'all' }, WITHIN)
    await alice.client.chats.setTimer(bob.chatId, 1000, WITHIN)
    await alice.say(bob, 'passing words')
    expect(found(alice, { text: 'words' })).toEqual(['passing words'])
    clock.advance(2000)
    await alice.next('expired')
    expect(found(alice, { text: 'words' })).toEqual([])
    expect(found(alice, { text: 'NEW ONES' })).toEqual(['new ones'])
  })
})

test('[CORE-23.11] the first unread message', async ({ alice, bob }) => {
  const first = await bob.say(alice, 'one')
  const second = await bob.say(alice, 'two')
  await alice.hears('two')
  const unread = () => alice.client.messages.firstUnread(bob.chatId)
  expect(unread()).toEqual({ id: first.id, ts: first.ts })
  await alice.client.messages.markRead(bob.chatId, first.id)
  expect(unread()).toEqual({ id: second.id, ts: second.ts })
  await alice.client.messages.markRead(bob.chatId)
  expect(unread()).toBeUndefined()
})
