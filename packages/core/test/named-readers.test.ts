// Named readers of the journal: they come and go, and none of them brings back what was removed.
import { NamedReaders } from '@postern/core/node'
import { test } from '@postern/testkit/fixtures'
import { expect } from 'vitest'

const all = { from: 'oldest', types: undefined, max: 2 } as const

test('[CORE-8.9] a reader is created up to a limit, and a confirmation in flight does not bring back a removed one', async ({
  alice,
  bob,
}) => {
  const { journal } = bob.client
  await journal.confirm('operator', 0)
  await alice.say(bob, 'one')
  await bob.hears('one')
  const readers = new NamedReaders(journal)
  const opened = await Promise.allSettled(['a', 'b', 'c'].map(name => readers.open(name, all)))
  expect(opened.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
  await expect(readers.open('c', all)).rejects.toMatchObject({ code: 'readers-full' })
  await readers.open('a', all)
  const [late, removed] = await Promise.allSettled([
    readers.remove('a').then(() => readers.confirm('a', 1)),
    readers.remove('b'),
  ])
  expect([late.status, removed.status]).toEqual(['rejected', 'fulfilled'])
  // In one turn: the removal is written first, and the confirmation that was checked before it finds no reader.
  await readers.open('c', all)
  const both = await Promise.allSettled([readers.remove('c'), readers.confirm('c', 1), readers.skip('c', 1)])
  expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
  expect(readers.list()).toEqual([])
  await journal.confirm('operator', journal.newest())
  expect(journal.read(0, 10)).toEqual([])
})

test('[CORE-8.10] only entries of its types count as lost, until a later one is confirmed', async ({ alice, bob }) => {
  const { journal } = bob.client
  await journal.confirm('operator', 0)
  const readers = new NamedReaders(journal)
  await readers.open('messages', { ...all, types: ['message'] })
  await readers.open('presses', { ...all, types: ['button'] })
  await alice.say(bob, 'one')
  await alice.say(bob, 'two')
  await bob.hears('two')
  const limits = { olderThanTs: 0, keepMax: 1 }
  expect(await readers.drop('messages', limits)).toEqual({ tooOld: 0, tooMany: 1 })
  expect(await readers.drop('presses', limits)).toEqual({ tooOld: 0, tooMany: 0 })
  expect(await readers.drop('unknown', limits)).toEqual({ tooOld: 0, tooMany: 0 })
  expect(readers.list()).toEqual([
    { name: 'messages', confirmed: 2, types: ['message'], dropped: 1 },
    { name: 'presses', confirmed: 2, types: ['button'], dropped: 0 },
  ])
  await readers.confirm('messages', 2)
  expect(readers.get('messages').dropped).toBe(1)
  await readers.confirm('messages', 99)
  expect(readers.get('messages')).toMatchObject({ confirmed: 3, dropped: 0 })
})
