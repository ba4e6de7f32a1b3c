// Waits that end in one of several ways, and leave nothing behind.
import { getEventListeners } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { aborted, Deferred, pause, unlessAborted, untilAborted } from '@postern/protocol'
import { ManualClock } from '@postern/testkit/clock'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const unhandled: unknown[] = []
const note = (error: unknown) => unhandled.push(error)

beforeAll(() => void process.on('unhandledRejection', note))
afterAll(async () => {
  await nextTurn()
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
})

const listenersOf = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length

describe('a wait', () => {
  test('[PROTOCOL-1.1] ends with the first end', async () => {
    const wait = new Deferred<string>()
    wait.resolve('first')
    wait.resolve('second')
    wait.reject(new Error('third'))
    wait.settleWith(Promise.reject(new Error('fourth')))
    expect(await wait.promise).toBe('first')
  })

  test('[PROTOCOL-1.1] that has failed stays failed', async () => {
    const wait = new Deferred<string>()
    wait.reject(new Error('first'))
    wait.resolve('second')
    await expect(wait.promise).rejects.toThrow('first')
  })

  test.each([
    ['its time', (clock: ManualClock) => clock.advance(1000)],
    ['the abort', (_: ManualClock, stop: AbortController) => stop.abort()],
    ['its work', (...[, , work]: [ManualClock, AbortController, PromiseWithResolvers<string>]) => work.resolve('work')],
  ])('[PROTOCOL-1.2] that is ended by %s leaves nothing behind', async (_, end) => {
    const clock = new ManualClock()
    const stop = new AbortController()
    const work = Promise.withResolvers<string>()
    const wait = new Deferred<string>()
    let undone = 0
    wait.onSettled(() => void undone++)
    wait.after(clock, 1000, () => wait.resolve('late'))
    wait.onAbort(stop.signal, () => wait.resolve('aborted'))
    wait.settleWith(work.promise)
    expect([clock.timerCount, listenersOf(stop.signal)]).toEqual([1, 1])
    const atTheEnd = wait.promise.then(() => [clock.timerCount, listenersOf(stop.signal), undone])
    end(clock, stop, work)
    expect(await atTheEnd).toEqual([0, 0, 1])
  })

  test('[PROTOCOL-1.2] that is over begins nothing more', async () => {
    const clock = new ManualClock()
    const stop = new AbortController()
    const wait = new Deferred()
    let undone = 0
    wait.resolve()
    wait.after(clock, 1000, () => wait.resolve())
    wait.onAbort(stop.signal, () => wait.resolve())
    wait.onSettled(() => void undone++)
    expect([clock.timerCount, listenersOf(stop.signal), undone]).toEqual([0, 0, 1])
    await wait.promise
  })

  test('[PROTOCOL-1.2] that is ended by somebody who undoes it ends once', async () => {
    const wait = new Deferred<string>()
    wait.onSettled(() => wait.resolve('from within'))
    wait.resolve('from outside')
    expect(await wait.promise).toBe('from outside')
  })
})

describe('work that may be given up', () => {
  test('[PROTOCOL-1.3] gives its outcome, and the signal keeps no listener', async () => {
    const { signal } = new AbortController()
    expect(await unlessAborted(Promise.resolve(1), signal)).toBe(1)
    await expect(unlessAborted(Promise.reject(new Error('of the work')), signal)).rejects.toThrow('of the work')
    expect(listenersOf(signal)).toBe(0)
  })

  test('[PROTOCOL-1.3] ends with the reason of the abort, and fails unheard', async () => {
    const stop = new AbortController()
    const work = Promise.withResolvers<void>()
    const waiting = unlessAborted(work.promise, stop.signal)
    stop.abort(new Error('stopped'))
    await expect(waiting).rejects.toThrow('stopped')
    work.reject(new Error('nobody hears this'))
    await expect(unlessAborted(new Deferred().promise, stop.signal)).rejects.toThrow('stopped')
    expect(await unlessAborted(Promise.resolve('done before'), stop.signal)).toBe('done before')
    await nextTurn()
    expect(unhandled).toEqual([])
  })

  test('[PROTOCOL-1.3] may wait for the abort alone', async () => {
    const stop = new AbortController()
    const waiting = aborted(stop.signal)
    stop.abort()
    await waiting
    await aborted(stop.signal)
    expect(listenersOf(stop.signal)).toBe(0)
  })

  test('[PROTOCOL-1.4] a source is read until the abort, and one that hangs is left', async () => {
    const stop = new AbortController()
    const hanging = new Deferred()
    const source = async function* () {
      yield 1
      yield 2
      await hanging.promise
    }
    const seen: number[] = []
    const reading = (async () => {
      for await (const item of untilAborted(source(), stop.signal)) {
        seen.push(item)
        if (item === 2) setImmediate(() => stop.abort(new Error('enough')))
      }
    })()
    await expect(reading).rejects.toThrow('enough')
    expect(seen).toEqual([1, 2])
    hanging.reject(new Error('nobody hears this'))
  })
})

describe('a pause', () => {
  test('[PROTOCOL-1.5] ends when its time has passed, and not before', async () => {
    const clock = new ManualClock()
    const { signal } = new AbortController()
    let isOver = false
    const pausing = pause(clock, 1000, signal).then(() => {
      isOver = true
    })
    clock.advance(999)
    await nextTurn()
    expect(isOver).toBe(false)
    clock.advance(1)
    await pausing
    expect([clock.timerCount, listenersOf(signal)]).toEqual([0, 0])
  })

  test('[PROTOCOL-1.5] ends at the abort, and does not begin after it', async () => {
    const clock = new ManualClock()
    const stop = new AbortController()
    const pausing = pause(clock, 1000, stop.signal)
    stop.abort()
    await pausing
    await pause(clock, 1000, stop.signal)
    expect([clock.timerCount, listenersOf(stop.signal)]).toEqual([0, 0])
  })
})
