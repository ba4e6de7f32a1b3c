// A few power cuts under traffic: each removes a part's unsynced data, and everything continues with the rest.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeDiskLog } from '../src/power/disk-log.ts'
import { cutAgainAndAgain } from '../src/power/run-power.ts'

const CUTS = 4

test('power cuts of relay, gateway and people: nothing acknowledged is lost or doubled, no key is used twice', async ({
  skip,
}) => {
  const seed = Number(process.env['POWER_SEED'] ?? crypto.getRandomValues(new Uint32Array(1))[0])
  console.info(`to repeat: POWER_SEED=${seed}`)
  const home = mkdtempSync(join(tmpdir(), 'postern-power-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const library = makeDiskLog(home)
  if (library.kind === 'missing') return skip(library.why)
  const { faults, acknowledged } = await cutAgainAndAgain({ cuts: CUTS, seed }, { home, library: library.path })
  expect(faults).toEqual([])
  expect(acknowledged, 'there was traffic').toBeGreaterThan(CUTS)
})
