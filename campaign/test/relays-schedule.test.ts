// The faults of relays come from the seed alone, and a short run has every kind of them.
import { SeededRandom } from '@postern/testkit'
import { expect, test } from 'vitest'
import { drawFaults, isPastTimeOuts } from '../src/relays/faults/schedule.ts'

const drawn = (seed: number) => drawFaults(new SeededRandom(seed), { kills: 15, relays: 2 }).map(({ fault }) => fault)
const namesOf = (seed: number) => drawn(seed).map(fault => (fault.kind === 'way-broken' ? fault.how : fault.kind))

test('the same seed draws the same faults', () => {
  expect(drawn(7)).toEqual(drawn(7))
  expect(drawn(7)).not.toEqual(drawn(8))
})

test('a short run has every kind of fault, and one that lasts past all time-outs', () => {
  expect(new Set(namesOf(7)).size).toBe(14)
  expect(drawn(7).filter(isPastTimeOuts)).toEqual([expect.objectContaining({ kind: 'relay-held' })])
})
