// Data directories of released versions: they open, and everything continues where it was.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkStored, openDataDirectory } from '@postern/core/node'
import { silentLog } from '@postern/protocol'
import { checkStoredRelay } from '@postern/relay'
import { WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { describe, expect } from 'vitest'
import {
  HOOKS_URL,
  leave,
  livedClock,
  putBack,
  type StoredFacts,
  sendOnce,
  unpackStored,
  updatesOf,
} from './stored-life.ts'

/** Those of released versions are next to this file. */
const THIS = 'this version'
const released = readdirSync(import.meta.dirname).filter(name => name.endsWith('.tgz'))
const versions = [...released, THIS]

const test = base
  .extend('clock', () => livedClock())
  .extend('worldOptions', ({ clock }) => ({ relayClock: clock }))
  .extend('goOn', ({ world, clock }) => async (version: string) => {
    const archive = version === THIS ? await leave(world, clock) : join(import.meta.dirname, version)
    await putBack(world, archive)
    const facts = JSON.parse(readFileSync(join(world.directory, 'facts.json'), 'utf8')) as StoredFacts
    const gateway = await world.gateway({ HOOKS_URL }, { clock })
    await gateway.client.whenOnline(WITHIN)
    return { facts, gateway }
  })

describe.each(versions)('%s', version => {
  test('[CLI-7.1, CORE-11.14] nothing that was acknowledged is lost or doubled', async ({ world, clock, goOn }) => {
    const { facts, gateway } = await goOn(version)
    expect((await updatesOf(gateway)).map(({ id }) => id)).toEqual(facts.updates)
    expect((await sendOnce(gateway, facts.alice)).id).toBe(facts.sent)
    const alice = await world.person('alice', { clock })
    await alice.hears('while you were away')
    expect(alice.texts(facts.bot as never).filter(text => text)).toEqual([
      'good morning',
      'good morning, alice',
      'a note',
      'nobody has read this yet',
      'while you were away',
    ])
    const { body: poll } = await gateway.api('GET', `/v1/chats/${facts.alice}/messages/${facts.poll}`)
    expect(poll).toMatchObject({ poll: { options: [{ text: 'Tea', votes: 1 }, { votes: 0 }] } })
  })

  test('[CLI-7.1] the same chats go on both ways, with files and hooks', async ({ world, clock, goOn }) => {
    const { facts, gateway } = await goOn(version)
    const alice = await world.person('alice', { clock })
    for (const chat of [facts.bot, facts.group]) await alice.say(chat as never, `after the update, in ${chat}`)
    await expect
      .poll(async () => JSON.stringify(await updatesOf(gateway)))
      .toMatch(new RegExp(`in ${facts.bot}.*in ${facts.group}`))
    for (const chat of [facts.alice, facts.group])
      await gateway.api('POST', `/v1/chats/${chat}/messages`, { text: `heard in ${chat}` })
    await alice.hears(`heard in ${facts.alice}`)
    await alice.hears(`heard in ${facts.group}`)
    const headers = { authorization: `Bearer ${gateway.token}` }
    const file = await fetch(new URL(`/v1/chats/${facts.alice}/messages/${facts.file}/file`, gateway.url), { headers })
    expect(await file.text()).toBe('a small file')
    await fetch(new URL(facts.hook, gateway.url), { method: 'POST', body: 'by the hook' })
    await alice.hears('by the hook')
  })
})

test.for(released)('[CORE-11.26] %s: the log names each step of the migration', async (version, { world }) => {
  const left = join(world.directory, 'left')
  await unpackStored(join(import.meta.dirname, version), left)
  const directory = join(left, 'gateway')
  const { schema: from } = checkStored(directory)
  const logged: [object, string][] = []
  const log = { ...silentLog, info: (fields: object, line: string) => void logged.push([fields, line]) }
  openDataDirectory(directory, { log }).close()
  const { schema: to } = checkStored(directory)
  const steps = Array.from({ length: to - from }, (_, at) => [
    { schema: from + at + 1, newest: to },
    'database migration step started',
  ])
  expect(logged).toEqual([...steps, [{ from, to }, 'database migrated']])
  openDataDirectory(directory, { log }).close()
  expect(logged).toHaveLength(steps.length + 1)
})

test.for(released)(
  '[CLI-7.3] %s refuses what this version has opened: every number is higher',
  async (version, { world, clock, goOn }) => {
    const numbersIn = (directory: string) => ({
      gateway: checkStored(join(directory, 'gateway')).schema,
      person: checkStored(join(directory, 'alice')).schema,
      relay: checkStoredRelay(join(directory, 'relay')).schema,
    })
    const left = join(world.directory, 'left')
    await unpackStored(join(import.meta.dirname, version), left)
    const before = numbersIn(left)
    const { gateway } = await goOn(version)
    await world.close(await world.person('alice', { clock }))
    await world.closeGateway(gateway)
    await world.stopRelay()
    const after = numbersIn(world.directory)
    for (const part of ['gateway', 'person', 'relay'] as const) expect(after[part]).toBeGreaterThan(before[part])
    await world.startRelay()
  },
)
