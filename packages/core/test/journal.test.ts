// The journal: ids that are never used twice, readers that keep their own place.
import { clientLimits } from '@postern/protocol'
import { WITHIN } from '@postern/testkit'
import { test } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { coreOf } from './hostile/modified-client.ts'

const ids = (entries: { id: number }[]) => entries.map(entry => entry.id)

test('[CORE-8.1, CORE-8.2] entries go when every reader is past them, and their ids do not come back', async ({
  world,
  alice,
  bob,
}) => {
  await bob.client.journal.confirm('slow', 0)
  await alice.say(bob, 'one')
  await alice.say(bob, 'two')
  await bob.hears('two')
  const first = ids(bob.client.journal.read(0, 10))
  expect(first).toEqual([1, 2, 3])

  await bob.client.journal.confirm('operator', 3)
  expect(ids(bob.client.journal.read(0, 10))).toEqual([1, 2, 3])
  await bob.client.journal.confirm('slow', 2)
  expect(ids(bob.client.journal.read(0, 10))).toEqual([3])
  await bob.client.journal.confirm('slow', 99)
  expect(bob.client.journal.read(0, 10)).toEqual([])
  expect(bob.client.journal.confirmed('slow')).toBe(3)

  await world.close(bob)
  const again = await world.person('bob')
  expect(again.client.journal.newest()).toBe(3)
  await alice.say(again, 'three')
  await again.hears('three')
  expect(ids(again.client.journal.read(0, 10))).toEqual([4])
})

test('[CORE-8.6] entries as JSON are the same ones, in order, whatever is said in them', async ({ alice, bob }) => {
  const { journal } = bob.client
  await journal.confirm('operator', 0)
  const words = [
    'plain',
    'quoted " and \\ and {"id":0}',
    'Ω 👩‍👩‍👧 \u2028',
    ...Array.from({ length: 20 }, (_, at) => `${at}`),
  ]
  for (const text of words) await alice.say(bob, text)
  await bob.hears('19')
  const asJson = (after: number, limit: number): unknown =>
    JSON.parse(Buffer.from(journal.readJson(after, limit) ?? []).toString() || '[]')
  const asRead = (after: number, limit: number): unknown =>
    journal.read(after, limit).map(({ id, json }) => ({ id, ...(JSON.parse(json) as object) }))
  for (const [after, limit] of [
    [0, 100],
    [0, 1],
    [3, 7],
    [journal.newest() - 1, 100],
  ] as const)
    expect(asJson(after, limit)).toEqual(asRead(after, limit))
  expect(journal.readJson(journal.newest(), 100)).toBeUndefined()
  await journal.confirm('operator', 5)
  expect(asJson(0, 2)).toEqual(asRead(0, 2))
})

test('[CORE-8.2] of many that wait, those that are confirmed are shown to nobody, go many at a time, and keep no words', async ({
  world,
  alice,
  bob,
}) => {
  const { journalDroppedAtOnce: many } = clientLimits
  await alice.say(bob, 'a word to be erased')
  await bob.hears('a word to be erased')
  await coreOf(bob).store.write(database => {
    const insert = "INSERT INTO journal (ts, chat_id, json) VALUES (1, 'x', '{}')"
    for (let at = 0; at < 2 * many; at++) database.run(insert)
  })
  const rows = () => coreOf(bob).store.all<{ json: string }>('SELECT json FROM journal')
  const { journal } = bob.client
  const first = journal.read(0, 1)[0]?.id ?? expect.fail()
  await journal.confirm('operator', 100)
  expect(rows()).toHaveLength(2 * many + 2)
  expect(ids(journal.read(0, 2))).toEqual([101, 102])
  const said = alice.client.messages.list(bob.chatId, { limit: 1 })[0]?.id ?? expect.fail()
  await alice.client.messages.delete(bob.chatId, { message: said, for: 'all' }, WITHIN)
  await expect.poll(() => rows().some(({ json }) => json.includes('"deleted"'))).toBe(true)
  expect(rows().some(({ json }) => json.includes('a word to be erased'))).toBe(false)
  await world.close(bob)

  const again = await world.person('bob')
  expect(ids(again.client.journal.read(0, 1))).toEqual([101])
  await again.client.journal.confirm('operator', first + many)
  expect(coreOf(again).store.all('SELECT id FROM journal')).toHaveLength(many + 2)
  await again.client.journal.confirm('operator', again.client.journal.newest())
  expect(coreOf(again).store.all('SELECT id FROM journal')).toEqual([])
})

test('[CORE-8.2] a reader never goes back', async ({ alice, bob }) => {
  await alice.say(bob, 'one')
  await bob.hears('one')
  await bob.client.journal.confirm('operator', 2)
  await bob.client.journal.confirm('operator', 1)
  expect(bob.client.journal.confirmed('operator')).toBe(2)
})

test('[CORE-8.3] what was told stands in the history after a restart, and the other way round', async ({
  world,
  alice,
  bob,
}) => {
  for (let at = 0; at < 20; at++) void alice.say(bob, `m${at}`)
  await bob.hears('m3')
  await world.close(bob)
  const again = await world.person('bob')
  await again.hears('m19')
  const told = again.client.journal
    .read(0, 100)
    .flatMap(entry => (JSON.parse(entry.json) as { message?: { text: string } }).message?.text ?? [])
  expect(told).toEqual(again.texts(alice))
  expect(told).toHaveLength(20)
})

test('[CORE-8.4, CORE-8.5] a reader is moved past what is too much or too old, and remembers its state', async ({
  world,
  alice,
  bob,
}) => {
  for (const text of ['one', 'two', 'three', 'four']) await alice.say(bob, text)
  await bob.hears('four')
  const { journal } = bob.client
  await journal.confirm('operator', 0)
  await journal.setReaderState('operator', '{"attempt":3}')
  expect(await journal.dropBefore('operator', { olderThanTs: 0, keepMax: 100 })).toEqual({ tooOld: 0, tooMany: 0 })
  expect(await journal.dropBefore('operator', { olderThanTs: 0, keepMax: 2 })).toEqual({ tooOld: 0, tooMany: 3 })
  expect(ids(journal.read(0, 10))).toEqual([4, 5])
  const all = { olderThanTs: Number.MAX_SAFE_INTEGER, keepMax: 100 }
  expect(await journal.dropBefore('operator', all)).toEqual({ tooOld: 2, tooMany: 0 })
  await world.close(bob)
  const again = await world.person('bob')
  expect(again.client.journal.readerState('operator')).toBe('{"attempt":3}')
  expect(again.client.journal.confirmed('operator')).toBe(5)
})

test('[CORE-8.7, CORE-8.8] a reader that begins at the end and confirms at once leaves nothing behind', async ({
  alice,
  bob,
}) => {
  await alice.say(bob, 'one')
  await bob.hears('one')
  const { journal } = bob.client
  expect(ids(journal.read(journal.confirmed('late'), 10))).toEqual([1, 2])
  await journal.beginAtEnd('alerts')
  expect(journal.confirmed('alerts')).toBe(2)
  expect(journal.read(0, 10)).toEqual([])
  await alice.say(bob, 'two')
  await bob.hears('two')
  await journal.beginAtEnd('alerts')
  expect(ids(journal.read(journal.confirmed('alerts'), 10))).toEqual([3])
  await journal.confirm('alerts', 3)
  expect(journal.read(0, 10)).toEqual([])
})

test('[CORE-8.8] a journal that nobody reads does not grow for ever, and one that is read loses nothing', async ({
  world,
}) => {
  let alice = await world.person('alice')
  const { journalUnreadMax } = clientLimits
  const fill = () =>
    coreOf(alice).store.write(database => {
      const insert = "INSERT INTO journal (ts, chat_id, json) VALUES (1, 'x', '{}')"
      for (let at = 0; at < journalUnreadMax + 5; at++) database.run(insert)
    })
  await fill()
  await world.close(alice)
  alice = await world.person('alice')
  await expect.poll(() => alice.client.journal.pending('nobody')).toBe(journalUnreadMax)
  expect(ids(alice.client.journal.read(0, 1))).toEqual([6])
  await alice.client.journal.confirm('slow', 6)
  await fill()
  await alice.client.journal.dropUnread()
  expect(alice.client.journal.pending('slow')).toBe(2 * journalUnreadMax + 4)
})
