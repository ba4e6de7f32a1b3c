// An Alertmanager that carries out a silence late, when another try of the same press has made one.
import { hookLimits } from '@postern/protocol'
import { passTime } from '@postern/testkit'
import { expect } from 'vitest'
import { SOON } from './api.ts'
import { type SentAlert, test } from './living.ts'

const down: SentAlert[] = [{ at: 'node-1' }]

test('[GATEWAY-14.22] a silence that the Alertmanager makes late, after that of another try, is ended', async ({
  alice,
  fires,
  shows,
  manager,
  presses,
  clock,
}) => {
  await fires(down)
  manager.alerts = [{ fingerprint: 'of-node-1', labels: { alertname: 'InstanceDown' } }]
  const late = Promise.withResolvers<void>()
  const isDone = Promise.withResolvers<void>()
  manager.atStep = step => (step === 'POST came' ? late.promise : undefined)
  expect(await presses(alice, 'Silence 1 h', { isSlow: true })).toBe('Alertmanager does not answer')
  manager.atStep = step => (step === 'POST done' ? isDone.resolve() : undefined)
  expect(await presses(alice, 'Silence 1 h')).toMatch(/^Silenced until/)
  await isDone.promise
  const [shown] = manager.silences
  manager.atStep = () => undefined
  late.resolve()
  await expect.poll(() => manager.silences.length, SOON).toBe(2)
  clock.advance(hookLimits.alertmanager.lookEveryMs)
  const active = () => manager.silences.filter(({ status }) => status.state === 'active')
  await passTime(clock, expect.poll(active, SOON).toEqual([shown]))
  await shows(/\n🔕 until/)
})

test('[GATEWAY-14.22] End silence ends such a one, too', async ({ alice, fires, manager, presses }) => {
  await fires(down)
  const late = Promise.withResolvers<void>()
  manager.atStep = step => (step === 'POST came' ? late.promise : undefined)
  expect(await presses(alice, 'Silence 1 h', { isSlow: true })).toBe('Alertmanager does not answer')
  manager.atStep = () => undefined
  expect(await presses(alice, 'Silence 1 h')).toMatch(/^Silenced until/)
  late.resolve()
  await expect.poll(() => manager.silences.length, SOON).toBe(2)
  expect(await presses(alice, 'End silence')).toBe('The silence is over')
  expect(manager.silences.map(({ status }) => status.state)).toEqual(['expired', 'expired'])
})
