// The memory of posts: bounded in time and number for each hook, also across restarts, and removed with the hook.
import { hookLimits, type MessageId } from '@postern/protocol'
import { ManualClock } from '@postern/testkit'
import { expect } from 'vitest'
import { HookMemory, type MemoryChange, type MemoryKey } from '../src/hooks/memory.ts'
import { test as base } from './fixtures.ts'

const at = (name: string, hook = 'a'): MemoryKey<'group'> => ({ hook, kind: 'group', name })
const firing = (name: string, hook = 'a'): MemoryChange => ({
  at: at(name, hook),
  put: { identity: name, saidMs: 0, message: `m${name}` as MessageId },
})

const test = base.extend('opened', ({ world }) => async () => {
  const clock = new ManualClock()
  const records = (await world.person('alice')).client.records('hooks')
  return { clock, records, memory: new HookMemory(records, clock) }
})

test('[GATEWAY-10.10] what is too old counts as forgotten, and makes room when something comes', async ({ opened }) => {
  const { clock, records, memory } = await opened()
  await memory.write(firing('old'))
  clock.advance(hookLimits.groups.keptMs - 1)
  expect(memory.get(at('old'))).toMatchObject({ identity: 'old', message: 'mold' })
  await memory.write(firing('new'))
  clock.advance(1)
  expect([memory.get(at('old')), memory.get(at('new'))?.['identity']]).toEqual([undefined, 'new'])
  await memory.write(firing('newer'))
  expect(records.all().map(({ key }) => key)).toEqual(['group/a/new', 'group/a/newer'])
})

test('[GATEWAY-10.10] of too many for one hook the oldest goes, and other hooks keep theirs', async ({ opened }) => {
  const { clock, records, memory } = await opened()
  await memory.write(firing('other', 'b'))
  const { keptMax } = hookLimits.groups
  await memory.write(...Array.from({ length: keptMax }, (_, number) => firing(`${number}`)))
  await memory.write(firing('0'))
  await memory.write(firing('more'))
  const again = new HookMemory(records, clock)
  for (const one of [memory, again]) {
    expect(['0', '1', '2', 'more'].map(name => one.get(at(name))?.['identity'])).toEqual(['0', undefined, '2', 'more'])
    expect(one.get(at('other', 'b'))?.['identity']).toBe('other')
  }
  expect(records.all()).toHaveLength(keptMax + 1)
})

test('[GATEWAY-10.10] what has become too old of hooks that nobody uses goes at the start', async ({ opened }) => {
  const { clock, records, memory } = await opened()
  await memory.write(firing('old', 'a'), firing('old', 'b'))
  clock.advance(hookLimits.groups.keptMs - 1)
  await memory.write(firing('new', 'b'))
  clock.advance(1)
  const again = new HookMemory(records, clock)
  await again.tidy(() => true)
  expect(records.all().map(({ key }) => key)).toEqual(['group/b/new'])
  expect(again.get(at('new', 'b'))?.['identity']).toBe('new')
})

test('[GATEWAY-10.5] what is forgotten while another takes its place does not take that with it', async ({
  opened,
}) => {
  const { clock, records, memory } = await opened()
  const place: MemoryKey<'attempt'> = { hook: 'a', kind: 'attempt', name: 'body' }
  await memory.write({ at: place, put: { attempt: 'heard', body: 'body', isWritten: true } })
  const coming = memory.write({ at: place, put: { attempt: 'next', body: 'body' } })
  memory.changeSoon({ at: place, forget: true })
  await coming
  await memory.write(firing('later'))
  for (const one of [memory, new HookMemory(records, clock)]) expect(one.get(place)?.attempt).toBe('next')
})

test('[GATEWAY-10.1] what belongs to no hook any more is removed at the start', async ({ opened }) => {
  const { clock, records, memory } = await opened()
  await memory.write(firing('1', 'a'), firing('2', 'b'), {
    at: { hook: 'b', kind: 'run', name: 'x' },
    put: { failed: 1 },
  })
  const again = new HookMemory(records, clock)
  await again.tidy(hook => hook === 'a')
  expect(records.all().map(({ key }) => key)).toEqual(['group/a/1'])
})
