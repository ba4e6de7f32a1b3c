// Bells and slots, a deadline, and the signal to stop.
import { once } from 'node:events'
import { CodedError, ConcurrencyLimit, Deadline, Deferred, Notifier } from '@postern/protocol'
import { stopSignal } from '@postern/protocol/node'
import { ManualClock } from '@postern/testkit/clock'
import { describe, expect, test } from 'vitest'

describe('a bell', () => {
  test('[PROTOCOL-1.6] calls everybody who listens', () => {
    const notifier = new Notifier()
    const heard: string[] = []
    notifier.listen(() => heard.push('alice'))
    const leave = notifier.listen(() => heard.push('bob'))
    notifier.notify()
    leave()
    notifier.notify()
    expect(heard).toEqual(['alice', 'bob', 'alice'])
    expect(notifier.listenerCount).toBe(1)
  })

  test('[PROTOCOL-1.6] is heard the next time by who begins during a ring', () => {
    const notifier = new Notifier()
    let calls = 0
    const again = () => {
      calls++
      leave()
      leave = notifier.listen(again)
    }
    let leave = notifier.listen(again)
    notifier.notify()
    expect(calls).toBe(1)
    notifier.notify()
    expect(calls).toBe(2)
  })

  test('[PROTOCOL-1.6] is not heard by who is taken off during a ring', () => {
    const notifier = new Notifier()
    const heard: string[] = []
    notifier.listen(() => leave())
    const leave = notifier.listen(() => heard.push('bob'))
    notifier.notify()
    expect(heard).toEqual([])
  })

  test('[PROTOCOL-1.6] is waited for, and then listened to no more', async () => {
    const notifier = new Notifier()
    const next = notifier.next()
    notifier.notify()
    await next
    expect(notifier.listenerCount).toBe(0)
  })
})

test('[PROTOCOL-1.11] slots are refused past their number, and free again when they are left', () => {
  const slots = new ConcurrencyLimit({ max: 2, what: 'files are being uploaded' })
  const leave = slots.reserve()
  slots.reserve()
  expect(() => slots.reserve()).toThrow(expect.objectContaining({ code: 'rate-limited' }))
  expect(slots.used).toBe(2)
  leave()
  slots.reserve()
  expect(slots.used).toBe(2)
})

describe('a deadline', () => {
  test('[PROTOCOL-1.12] is shared by all steps', () => {
    const clock = new ManualClock()
    const deadline = new Deadline(clock, { timeoutMs: 1000 })
    clock.advance(400)
    expect(deadline.leftMs()).toBe(600)
    clock.advance(600)
    expect(() => deadline.leftMs()).toThrow(expect.objectContaining({ code: 'relay-unreachable' }))
  })

  test('[PROTOCOL-1.12] begins nothing when it is over, and says why in the words of its owner', async () => {
    const clock = new ManualClock()
    const deadline = new Deadline(clock, { timeoutMs: 0 }, () => new CodedError('rate-limited', { what: 'posts' }))
    let isBegun = false
    const work = async () => {
      isBegun = true
    }
    await expect(deadline.awaiting(work)).rejects.toMatchObject({ code: 'rate-limited' })
    expect(isBegun).toBe(false)
  })

  test('[PROTOCOL-1.12] ends the wait for others, and leaves no timer', async () => {
    const clock = new ManualClock()
    const deadline = new Deadline(clock, { timeoutMs: 1000 })
    expect(await deadline.awaiting(async () => 'done')).toBe('done')
    expect(clock.timerCount).toBe(0)
    const others = new Deferred<string>()
    const waiting = deadline.awaiting(() => others.promise)
    clock.advance(1000)
    await expect(waiting).rejects.toMatchObject({ code: 'relay-unreachable' })
    others.reject(new Error('nobody hears this'))
  })
})

test('[PROTOCOL-1.13] the signal to stop comes once, and is forgotten when it is no longer wanted', async () => {
  const before = process.listenerCount('SIGTERM')
  const { signal, forget } = stopSignal()
  const abort = once(signal, 'abort')
  process.emit('SIGTERM')
  process.emit('SIGINT')
  await abort
  expect(signal.reason).toMatchObject({ code: 'stopping' })
  expect(process.listenerCount('SIGTERM')).toBe(before + 1)
  forget()
  expect(process.listenerCount('SIGTERM')).toBe(before)
})
