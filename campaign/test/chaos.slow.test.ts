// The campaign of faults in small: every kind but power cuts, for some seconds.
import { test } from 'vitest'
import { runChaos } from '../src/chaos/run-chaos.ts'
import { expectNothingWrong } from './short-run.ts'

const FAULTS_MS = 15_000

test('kills, stops, full disks, clocks that jump and a bad network: nothing acknowledged is lost, doubled or out of order', async () => {
  const kinds = ['kill', 'stop', 'disk-full', 'clock', 'copy', 'away', 'network'] as const
  await expectNothingWrong(surroundings => runChaos({ ...surroundings, kinds, ms: FAULTS_MS }))
}, 600_000)
