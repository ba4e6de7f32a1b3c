// The statements of the chores, recorded while they run: each finds its few rows by an index.
import { WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import type { Database, SqlValue } from '../src/storage/database.ts'
import type { DatabaseChange, Store } from '../src/storage/transactions/store.ts'
import { coreOf } from './hostile/modified-client.ts'

const LARGE = new Set(['chat', 'mls_group', 'message', 'member', 'person', 'journal'])

/** Records every statement of a store from now on: no chore can read or write past this. */
function recordStatements(store: Store): Set<string> {
  const seen = new Set<string>()
  const watched =
    <Args extends unknown[], T>(run: (sql: string, ...rest: Args) => T) =>
    (sql: string, ...rest: Args): T => {
      seen.add(sql)
      return run(sql, ...rest)
    }
  const { write, inMemory } = store
  const watchedDatabase = (database: Database): Database =>
    new Proxy(database, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        const bound = value.bind(target) as (sql: string, ...rest: SqlValue[]) => unknown
        return name === 'get' || name === 'all' || name === 'run' ? watched(bound) : bound
      },
    })
  Object.assign(store, {
    get: watched(store.get.bind(store)),
    all: watched(store.all.bind(store)),
    write: (change: DatabaseChange<unknown>, durability?: 'durable') =>
      write.call(store, database => change(watchedDatabase(database)), durability),
    inMemory: (work: (database: Database) => unknown) =>
      inMemory.call(store, database => work(watchedDatabase(database))),
  })
  return seen
}

type Plan = { detail: string }

/** The partial indexes that contain no ordinary chat or message: reading one of them completely costs nothing. */
function emptyIndexes(store: Store): Set<string> {
  const partial = store.all<{ name: string; table: string; sql: string }>(
    `SELECT name, tbl_name AS "table", sql FROM sqlite_schema WHERE type = 'index' AND sql LIKE '% WHERE %'`,
  )
  const isEmpty = ({ table, sql }: { table: string; sql: string }) =>
    store.get(`SELECT 1 FROM ${table} WHERE ${sql.slice(sql.indexOf(' WHERE ') + 7)}`) === undefined
  return new Set(partial.filter(isEmpty).map(({ name }) => name))
}

/** The steps of a statement that read a large table completely. */
function scansOf(store: Store, sql: string): string[] {
  const few = emptyIndexes(store)
  const aliases = new Map([...sql.matchAll(/\b(\w+) AS (\w+)\b/g)].map(([, table, alias]) => [alias, table]))
  return store
    .all<Plan>(`EXPLAIN QUERY PLAN ${sql}`, ...Array.from({ length: (sql.match(/\?/g) ?? []).length }, () => null))
    .map(({ detail }) => detail)
    .filter(detail => {
      const [, name = '', index = ''] = /^SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?/.exec(detail) ?? []
      return LARGE.has(aliases.get(name) ?? name) && !few.has(index)
    })
}

const test = base.extend('talk', async ({ alice, bob, bot }) => {
  const { id } = await bob.client.chats.createGroup({ name: 'team', members: [alice.id, bot.id] }, WITHIN)
  await bob.say(id, 'hello')
  await alice.hears('hello')
  await bob.say(alice, 'hello alice')
  await alice.hears('hello alice')
  await alice.client.messages.markRead(id)
  return id
})

test('[CORE-11.22] no chore reads all chats, groups or messages', async ({ alice, bob, talk }) => {
  const { store, wakeChores, rescheduleTimers } = coreOf(alice)
  const seen = recordStatements(store)
  // Work for the chores: receipts that are due, a person with a new name, a poll that ends.
  const poll = { question: 'which?', options: ['a', 'b'], multiple: false }
  const { id } = await alice.client.messages.sendPoll(talk, poll, WITHIN)
  await bob.client.identity.setProfile({ name: 'robert' })
  await bob.say(talk, 'once more')
  await alice.hears('once more')
  await alice.client.messages.closePoll(talk, id, WITHIN)
  await alice.client.messages.markRead(talk)
  seen.clear()
  rescheduleTimers()
  wakeChores()
  // The last chore of a round is the renewal of keys; the timekeeper queries the next due time.
  const hasRun = (words: string) => [...seen].some(sql => sql.includes(words))
  await expect.poll(() => hasRun('renew_at_ms <= ?') && hasRun('min(erase_at_ms)')).toBe(true)
  const recorded = [...seen]
  expect(recorded.length).toBeGreaterThan(20)
  const scans = recorded.flatMap(sql => scansOf(store, sql).map(step => ({ sql, step })))
  expect(scans).toEqual([])
})
