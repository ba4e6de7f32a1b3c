// A few backups and restores under traffic: every chat continues, nothing is doubled and no key encrypts twice.
import { test } from 'vitest'
import { runRestores } from '../src/restores/run-restores.ts'
import { expectNothingWrong } from './short-run.ts'

const RESTORES = 3

test('restores of relay, gateway and people, alone and together: every chat continues', {
  timeout: 600_000,
}, async () => {
  await expectNothingWrong(surroundings => runRestores({ restores: RESTORES, ...surroundings }))
})
