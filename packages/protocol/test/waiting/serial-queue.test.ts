// The order in which work of one lane begins, and that other lanes do not wait.
import { KeyedQueue, SerialQueue } from '@postern/protocol'
import { expect, test } from 'vitest'

/** Work that reports its beginning and ends when the test says so. */
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

test('[CLI-2.3, PROTOCOL-1.8] those who share a lane, as sends in one chat, overlap and begin in order', async () => {
  const lanes = new KeyedQueue<string>()
  const { begun, task, settle } = script()
  for (const name of ['one', 'two', 'three']) void lanes.runShared('alice', task(name))
  await settle()
  expect(begun).toEqual(['one', 'two', 'three'])
})

test('[CLI-2.3, PROTOCOL-1.8] who has a lane alone, as what changes a chat, waits for those who share it, and later ones wait for it', async () => {
  const lanes = new KeyedQueue<string>()
  const { begun, task, settle, end } = script()
  void lanes.runShared('team', task('send 1'))
  void lanes.runShared('team', task('send 2'))
  void lanes.run('team', task('rename'))
  void lanes.runShared('team', task('send 3'))
  await settle()
  expect(begun).toEqual(['send 1', 'send 2'])
  await end('send 2')
  expect(begun).toEqual(['send 1', 'send 2'])
  await end('send 1')
  expect(begun).toEqual(['send 1', 'send 2', 'rename'])
  await end('rename')
  expect(begun).toEqual(['send 1', 'send 2', 'rename', 'send 3'])
})

test('[CLI-2.3, PROTOCOL-1.7] one at a time in each lane, and one that is slow does not hold up another', async () => {
  const lanes = new KeyedQueue<string>()
  const { begun, task, settle } = script()
  void lanes.run('slow', task('slow'))
  void lanes.run('slow', task('behind'))
  void lanes.run('fast', task('fast'))
  await settle()
  expect(begun).toEqual(['slow', 'fast'])
})

test('[CLI-2.3, PROTOCOL-1.7] work that fails lets the next one go on', async () => {
  const lanes = new KeyedQueue<string>()
  const { begun, task, settle, fail } = script()
  const failing = lanes.run('alice', task('bad')).catch((error: unknown) => String(error))
  void lanes.runShared('alice', task('good'))
  await settle()
  await fail('bad')
  expect(await failing).toBe('Error: bad')
  expect(begun).toEqual(['bad', 'good'])
})

test('[PROTOCOL-1.7] work that throws before its first wait fails alone', async () => {
  const lane = new SerialQueue()
  const failing = lane.run(() => {
    throw new Error('at once')
  })
  const next = lane.run(async () => 'next')
  await expect(failing).rejects.toThrow('at once')
  expect(await next).toBe('next')
})

test('[PROTOCOL-1.9] a lane that is full refuses, and takes the next one when one is through', async () => {
  const lanes = new KeyedQueue<string>({ max: 2, what: 'posts are waiting' })
  const { begun, task, settle, end } = script()
  void lanes.run('hook', task('one'))
  void lanes.run('hook', task('two'))
  await expect(lanes.run('hook', task('three'))).rejects.toMatchObject({ code: 'rate-limited' })
  void lanes.run('other', task('of another'))
  await settle()
  await end('one')
  void lanes.run('hook', task('four'))
  await end('two')
  expect(begun).toEqual(['one', 'of another', 'two', 'four'])
})

test('[PROTOCOL-1.10] a lane is idle before its caller hears that the work is done', async () => {
  const lanes = new KeyedQueue<string>()
  const busy: boolean[] = []
  const work = async () => void busy.push(lanes.isBusy('alice'))
  await lanes.run('alice', work)
  busy.push(lanes.isBusy('alice'))
  await lanes.runShared('alice', work)
  busy.push(lanes.isBusy('alice'))
  expect(busy).toEqual([true, false, true, false])
})

test('[PROTOCOL-1.10] idle waits for all lanes, and for who came meanwhile', async () => {
  const lanes = new KeyedQueue<string>()
  const { task, settle, end } = script()
  let isIdle = false
  void lanes.run('alice', task('one'))
  void lanes.runShared('bob', task('two'))
  const idle = lanes.idle().then(() => {
    isIdle = true
  })
  await settle()
  void lanes.run('alice', task('three'))
  await end('one')
  await end('two')
  expect(isIdle).toBe(false)
  await end('three')
  await idle
  await lanes.idle()
})
