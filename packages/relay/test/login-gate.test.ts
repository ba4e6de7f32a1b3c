// The gate before logins: how many are in flight, and when the others may come back.
import { isCoded, relayFixedLimits } from '@postern/protocol'
import { ManualClock } from '@postern/testkit/clock'
import { expect, test } from 'vitest'
import { LoginGate } from '../src/accounts/login-gate.ts'
import { relayLimits } from '../src/limits/relay-limits.ts'

const IN_FLIGHT = 8

function fullGate() {
  const clock = new ManualClock()
  const gate = new LoginGate({ clock, limits: relayLimits({ loginsInFlightMax: IN_FLIGHT }) })
  for (let at = 0; at < IN_FLIGHT; at++) gate.enter()
  return { clock, gate }
}

/** The time until the login may come back; undefined for one that is admitted. */
function refusedForMs(gate: LoginGate, clock: ManualClock): number | undefined {
  try {
    gate.enter()
    return undefined
  } catch (error) {
    if (isCoded(error, 'unavailable')) return Number(error.details['retryAtMs']) - clock.nowMs()
    throw error
  }
}

const appointments = (count: number, { gate, clock }: ReturnType<typeof fullGate>): number[] =>
  Array.from({ length: count }, () => refusedForMs(gate, clock) ?? 0)

test('[RELAY-2.33] each login beyond those in flight gets an appointment of its own, in the order of their coming', () => {
  const full = fullGate()
  const told = appointments(50, full)
  expect(new Set(told).size).toBe(50)
  expect(told.toSorted((one, other) => one - other)).toEqual(told)
  full.gate.leave()
  expect(refusedForMs(full.gate, full.clock)).toBeUndefined()
})

test('[RELAY-2.33] appointments are as far apart as logins have taken one after the other', () => {
  const full = fullGate()
  for (let at = 0; at < 10; at++) {
    full.clock.advance(40)
    full.gate.leave()
    full.gate.enter()
  }
  const told = appointments(6, full)
  expect(told.slice(1).map((ms, at) => ms - (told[at] ?? 0))).toEqual([40, 40, 40, 40, 40])
})

test('[RELAY-2.33] nobody is told to come later than the latest, and all of the time up to it is used', () => {
  const full = fullGate()
  const { appointmentMsMax } = relayFixedLimits
  const told = appointments(3 * appointmentMsMax, full)
  expect(Math.max(...told)).toBeLessThanOrEqual(appointmentMsMax)
  const seconds = Map.groupBy(told, ms => Math.floor(ms / 1000))
  expect(seconds.size).toBeGreaterThanOrEqual(appointmentMsMax / 1000)
  for (let second = 0; second < appointmentMsMax / 1000; second++)
    expect(seconds.get(second)?.length).toBeGreaterThan(900)
})
