// `npm run campaign -- relays`: reads the command line, runs the campaign and prints its result.
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findPostgres, POSTGRES_MISSING } from '@postern/testkit/postgres'
import { printReport, reportAsJson } from '../chaos/report.ts'
import { countedOptions } from '../counted-options.ts'
import { faultNames } from './faults/schedule.ts'
import { runRelays } from './run-relays.ts'

export async function run(args: readonly string[]): Promise<number> {
  const asked = countedOptions(args, { kills: 100, 'slow-database': 0 }, faultNames)
  if (typeof asked === 'string' || !findPostgres()) {
    console.error(typeof asked === 'string' ? asked : POSTGRES_MISSING)
    return 2
  }
  const { kills, seed, only, isJson } = asked
  const folder = mkdtempSync(join(tmpdir(), 'postern-relays-'))
  console.error(`seed ${seed}; everything is in ${folder}`)
  const say = (line: string) => appendFileSync(join(folder, 'faults.log'), `${new Date().toISOString()} ${line}\n`)
  const slowMs = asked['slow-database'] * 1000
  const size = slowMs > 0 ? 'long' : 'short'
  let isEnough = false
  process.once('SIGTERM', () => (isEnough = true))
  const report = await runRelays({ kills, seed, folder, say, size, only, slowMs, isEnough: () => isEnough })
  if (isJson) console.log(reportAsJson(report))
  else printReport(report, line => console.log(line))
  if (report.findings.length === 0) rmSync(folder, { recursive: true, force: true })
  else console.error(`kept in ${folder}; again with ${args.join(' ')} --seed ${seed}`)
  return report.findings.length === 0 ? 0 : 1
}
