// A short campaign within a test: it prints its seed, and keeps the folder of a failed one.
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seedFrom } from '@postern/testkit/random'
import { expect } from 'vitest'
import type { Report } from '../src/chaos/report.ts'

export type Surroundings = { seed: number; folder: string; say: (line: string) => void }

export async function expectNothingWrong(run: (surroundings: Surroundings) => Promise<Report>): Promise<void> {
  const seed = seedFrom('CAMPAIGN_SEED')
  const folder = mkdtempSync(join(tmpdir(), 'postern-campaign-'))
  console.info(`to repeat: CAMPAIGN_SEED=${seed}; everything is in ${folder}`)
  const say = (line: string) => appendFileSync(join(folder, 'faults.log'), `${line}\n`)
  const { findings } = await run({ seed, folder, say })
  expect(findings).toEqual([])
  rmSync(folder, { recursive: true, force: true })
}
