// A short campaign within a test: a new seed each time, printed, and the folder of a failed one is kept.
import { randomInt } from 'node:crypto'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Report } from '../src/chaos/report.ts'

export type Surroundings = { seed: number; folder: string; say: (line: string) => void }

export async function expectNothingWrong(run: (surroundings: Surroundings) => Promise<Report>): Promise<void> {
  const seed = Number(process.env['CAMPAIGN_SEED'] ?? randomInt(2 ** 31))
  const folder = mkdtempSync(join(tmpdir(), 'postern-campaign-'))
  console.info(`to repeat: CAMPAIGN_SEED=${seed}; everything is in ${folder}`)
  const say = (line: string) => appendFileSync(join(folder, 'faults.log'), `${line}\n`)
  const { findings } = await run({ seed, folder, say })
  expect(findings).toEqual([])
  rmSync(folder, { recursive: true, force: true })
}
