// Data directories that programs of landed commits wrote, one of every schema: they open, and chats continue.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkStored, openDataDirectory } from '@postern/core/node'
import { WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { livedClock, putBack, type StoredFacts, sendWithKey, unpackStored, updatesOf } from './stored-life.ts'

type LandedFacts = Pick<StoredFacts, 'bot' | 'alice' | 'group' | 'sent' | 'updates'>

const PAGE_BYTES = 4096
const FOLDER = join(import.meta.dirname, 'landed')
/** Named by the schema number of their clients and the commit that wrote them. */
const archives = readdirSync(FOLDER)

const test = base
  .extend('clock', () => livedClock())
  .extend('worldOptions', ({ clock }) => ({ relayClock: clock }))
  .extend('goOn', ({ world, clock }) => async (archive: string) => {
    await putBack(world, join(FOLDER, archive))
    const facts = JSON.parse(readFileSync(join(world.directory, 'facts.json'), 'utf8')) as LandedFacts
    const gateway = await world.gateway({}, { clock })
    await gateway.client.whenOnline(WITHIN)
    return { facts, gateway }
  })

test.for(archives)(
  '[CLI-7.4] %s opens: nothing is lost, and its chats continue both ways',
  async (archive, { world, clock, goOn }) => {
    const { facts, gateway } = await goOn(archive)
    expect((await updatesOf(gateway)).map(({ id }) => id)).toEqual(facts.updates)
    expect((await sendWithKey(gateway, facts.alice, { text: 'good morning, alice' })).id).toBe(facts.sent)
    const alice = await world.person('alice', { clock })
    await alice.hears('while you were away')
    expect(alice.texts(facts.bot as never)).toEqual([
      'good morning',
      'good morning, alice',
      'nobody has read this yet',
      'while you were away',
    ])
    expect(alice.texts(facts.group as never)).toContain('to everybody')
    for (const chat of [facts.bot, facts.group]) await alice.say(chat as never, `after the update, in ${chat}`)
    await expect
      .poll(async () => JSON.stringify(await updatesOf(gateway)))
      .toMatch(new RegExp(`in ${facts.bot}.*in ${facts.group}`))
    for (const chat of [facts.alice, facts.group]) {
      await gateway.api('POST', `/v1/chats/${chat}/messages`, { text: `heard in ${chat}` })
      await alice.hears(`heard in ${chat}`)
    }
  },
)

test.for([1, 20])(
  '[CORE-11.27] one of them whose pages are spoiled from page %i on is called damaged',
  async (first, { world }) => {
    const directory = join(world.directory, 'spoiled')
    await unpackStored(join(FOLDER, 'schema-2-23ea62b.tgz'), directory)
    const path = join(directory, 'gateway', 'core.db')
    const bytes = readFileSync(path)
    for (let at = PAGE_BYTES * (first + 0.5); at < bytes.length; at += PAGE_BYTES) bytes.fill(0x55, at, at + 64)
    writeFileSync(path, bytes)
    expect(() => openDataDirectory(join(directory, 'gateway'))).toThrow(/database is damaged\. Restore/)
  },
)

test('[CLI-7.4] there is one of every schema that a landed commit wrote', async ({ world }) => {
  const numbers: number[] = []
  for (const archive of archives) {
    const directory = join(world.directory, archive)
    await unpackStored(join(FOLDER, archive), directory)
    const { schema } = checkStored(join(directory, 'gateway'))
    expect(archive).toMatch(new RegExp(`^schema-${schema}-[0-9a-f]{7}\\.tgz$`))
    numbers.push(schema)
  }
  expect(numbers.toSorted((one, other) => one - other)).toEqual([2, 3, 6, 7, 8, 9, 10, 11, 14, 15, 20])
})
