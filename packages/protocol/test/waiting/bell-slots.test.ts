// Bells and slots, a deadline, and the signal to stop.
import { once } from 'node:events'
import { Bell, CodedError, Deadline, Slots, Wait } from '@postern/protocol'
import { stopSignal } from '@postern/protocol/node'
import { ManualClock } from '@postern/testkit/clock'
import { describe, expect, test } from 'vitest'

describe('a bell', () => {
  test('[PROTOCOL-1.6] calls everybody who listens', () => {
    const bell = new Bell()
    const heard: string[] = []
    bell.listen(() => heard.push('alice'))
    const leave = bell.listen(() => heard.push('bob'))
    bell.ring()
    leave()
    bell.ring()
    expect(heard).toEqual(['alice', 'bob', 'alice'])
    expect(bell.listenerCount).toBe(1)
  })

  test('[PROTOCOL-1.6] is heard the next time by who begins during a ring', () => {
    const bell = new Bell()
    let calls = 0
    const again = () => {
      calls++
      leave()
      leave = bell.listen(again)
    }
    let leave = bell.listen(again)
    bell.ring()
    expect(calls).toBe(1)
    bell.ring()
    expect(calls).toBe(2)
  })

  test('[PROTOCOL-1.6] is not heard by who is taken off during a ring', () => {
    const bell = new Bell()
    const heard: string[] = []
    bell.listen(() => leave())
    const leave = bell.listen(() => heard.push('bob'))
    bell.ring()
    expect(heard).toEqual([])
  })

  test('[PROTOCOL-1.6] is waited for, and then listened to no more', async () => {
    const bell = new Bell()
    const next = bell.next()
    bell.ring()
    await next
    expect(bell.listenerCount).toBe(0)
  })
})

test('[PROTOCOL-1.11] slots are refused past their number, and free again when they are left', () => {
  const slots = new Slots({ max: 2, what: 'files are being uploaded' })
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
    const others = new Wait<string>()
    const waiting = deadline.awaiting(() => others.over)
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
