// The order in which commands of one chat begin, and that other chats do not wait.
import { expect, test } from 'vitest'
import { ChatLanes } from '../src/person/chat-lanes.ts'

/** Commands that say when they begin and end when they are told. */
function script() {
  const begun: string[] = []
  const ends = new Map<string, PromiseWithResolvers<void>>()
  const task = (name: string) => () => {
    begun.push(name)
    const end = Promise.withResolvers<void>()
    ends.set(name, end)
    return end.promise
  }
  const settle = async () => {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve()
  }
  return {
    begun,
    task,
    settle,
    end: async (name: string) => {
      ends.get(name)?.resolve()
      await settle()
    },
    fail: async (name: string) => {
      ends.get(name)?.reject(new Error(name))
      await settle()
    },
  }
}

test('[CLI-2.3] sends in one chat overlap and begin in order', async () => {
  const lanes = new ChatLanes()
  const { begun, task, settle } = script()
  for (const name of ['one', 'two', 'three']) void lanes.send('alice', task(name))
  await settle()
  expect(begun).toEqual(['one', 'two', 'three'])
})

test('[CLI-2.3] what changes a chat waits for its sends, and later sends wait for it', async () => {
  const lanes = new ChatLanes()
  const { begun, task, settle, end } = script()
  void lanes.send('team', task('send 1'))
  void lanes.send('team', task('send 2'))
  void lanes.alone('team', task('rename'))
  void lanes.send('team', task('send 3'))
  await settle()
  expect(begun).toEqual(['send 1', 'send 2'])
  await end('send 2')
  expect(begun).toEqual(['send 1', 'send 2'])
  await end('send 1')
  expect(begun).toEqual(['send 1', 'send 2', 'rename'])
  await end('rename')
  expect(begun).toEqual(['send 1', 'send 2', 'rename', 'send 3'])
})

test('[CLI-2.3] a chat that is slow does not hold up another', async () => {
  const lanes = new ChatLanes()
  const { begun, task, settle } = script()
  void lanes.alone('slow', task('slow'))
  void lanes.alone('slow', task('behind'))
  void lanes.alone('fast', task('fast'))
  await settle()
  expect(begun).toEqual(['slow', 'fast'])
})

test('[CLI-2.3] a command that fails lets the next one go on', async () => {
  const lanes = new ChatLanes()
  const { begun, task, settle, fail } = script()
  const failing = lanes.alone('alice', task('bad')).catch((error: unknown) => String(error))
  void lanes.send('alice', task('good'))
  await settle()
  await fail('bad')
  expect(await failing).toBe('Error: bad')
  expect(begun).toEqual(['bad', 'good'])
})
