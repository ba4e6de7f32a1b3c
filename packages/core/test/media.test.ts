// The messages of a chat by their content: files of a kind, and links.
import type { MediaSearch } from '@postern/core'
import { WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { mediaIn } from '../src/messages/media.ts'
import { coreOf } from './hostile/modified-client.ts'
import { put } from './put-message.ts'

const kinds = ['photo', 'video', 'voice', 'file'] as const
const file = { kind: 'file', blob: 'b', key: 'k', digest: 'd', size: 1, type: 'x/y' }

/** Eight files at the times 1 to 8, two of each kind. */
const test = base.extend('chat', async ({ alice, bob }) => {
  await alice.say(bob, 'hello')
  const chat = bob.chatId
  for (const [at, shownAs] of [...kinds, ...kinds].entries())
    await put(alice, { id: `f${at}`, chat, ts: at + 1, body: { ...file, shownAs, name: `${shownAs} ${at + 1}` } })
  return chat
})

test('[CORE-23.10] the files of a chat, by their kinds', ({ alice, chat }) => {
  const names = (wanted: Partial<MediaSearch>) =>
    alice.client.messages.media(chat, { kinds: ['photo', 'video'], limit: 9, ...wanted }).map(row => row.file?.name)
  expect(names({})).toEqual(['video 6', 'photo 5', 'video 2', 'photo 1'])
  expect(names({ beforeTs: 5, limit: 1 })).toEqual(['video 2'])
  expect(names({ beforeTs: 6, fromTs: 2 })).toEqual(['photo 5', 'video 2'])
  expect(names({ kinds: ['voice'] })).toEqual(['voice 7', 'voice 3'])
  expect(names({ kinds: [] })).toEqual([])
  expect(names({ aroundTs: 2 })).toEqual(['video 6', 'photo 5', 'video 2', 'photo 1'])
  expect(names({ aroundTs: 2, limit: 1 })).toEqual(['photo 5', 'video 2'])
  // The message there is gone.
  expect(names({ aroundTs: 4, limit: 1 })).toEqual(['photo 5', 'video 2'])
})

test('[CORE-23.13] messages that may contain a link, without those that were edited or deleted', async ({
  alice,
  bob,
  chat,
}) => {
  const say = (text: string) => alice.say(bob, text)
  await say('See https://ferry.example/times')
  await say('or WWW.ferry.example')
  await say('and no link: http ww.ferry')
  const edited = await say('http://old.example')
  const deleted = await say('http://gone.example')
  await put(alice, {
    id: 'c',
    chat,
    ts: 9,
    body: { ...file, shownAs: 'file', name: 'x', text: 'HTTPS://caption.example' },
  })
  await alice.client.messages.edit(chat, { message: edited.id, text: 'none' }, WITHIN)
  await alice.client.messages.delete(chat, { message: deleted.id, for: 'all' }, WITHIN)
  const found = alice.client.messages.media(chat, { kinds: 'links', limit: 9 }).map(({ text }) => text)
  expect(found).toEqual(['or WWW.ferry.example', 'See https://ferry.example/times', 'HTTPS://caption.example'])
})

test('[CORE-23.13] each kind is read from an index in its order, however many others there are', ({ alice, chat }) => {
  const { store } = coreOf(alice)
  const plans: string[] = []
  const reads: Pick<typeof store, 'all'> = {
    all: <Row>(sql: string, ...values: Parameters<typeof store.all>[1][]): Row[] => {
      const plan = store.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...values)
      plans.push(plan.map(({ detail }) => detail).join('; '))
      return store.all<Row>(sql, ...values)
    },
  }
  for (const wanted of [kinds, 'links'] as const)
    for (const place of [{}, { aroundTs: 3 }]) mediaIn(reads, chat, { kinds: wanted, limit: 5, ...place })
  // Four kinds and links: newest first, and on both sides of a time.
  expect(plans).toHaveLength(15)
  for (const plan of plans)
    expect(plan).toMatch(
      /^SEARCH message USING INDEX message_(shown \(chat_id=\? AND <expr>=\? AND|link \(chat_id=\? AND) ts>\? AND ts<\?\)$/,
    )
})
