// The faults of relays come from the seed alone, and a short run has every kind of them.
import { SeededRandom } from '@postern/testkit'
import { expect, test } from 'vitest'
import { drawFaults, faultNames, isPastTimeOuts, nameOfFault } from '../src/relays/faults/schedule.ts'

const KILLS = faultNames.length + 1
const drawn = (seed: number, asked: { only?: string[]; slowMs?: number } = {}) =>
  drawFaults(new SeededRandom(seed), { kills: KILLS, relays: 2, ...asked }).map(({ fault }) => fault)

test('the same seed draws the same faults', () => {
  expect(drawn(7)).toEqual(drawn(7))
  expect(drawn(7)).not.toEqual(drawn(8))
})

test('a short run has every kind of fault, and one that lasts past all time-outs', () => {
  expect(new Set(drawn(7).map(nameOfFault))).toEqual(new Set(faultNames))
  expect(drawn(7).filter(isPastTimeOuts)).toEqual([expect.objectContaining({ kind: 'relay-held' })])
})

test('only the chosen faults come, and a database that is slow for long before them', () => {
  expect(new Set(drawn(7, { only: ['login-storm'] }).map(nameOfFault))).toEqual(new Set(['login-storm']))
  expect(drawn(7, { slowMs: 300_000 })[0]).toEqual({ kind: 'database-slow', forMs: 300_000 })
})
