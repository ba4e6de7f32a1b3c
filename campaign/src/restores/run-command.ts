// `npm run campaign -- restores`: reads the command line, runs the campaign and prints its report.
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { printReport, reportAsJson } from '../chaos/report.ts'
import { countedOptions } from '../counted-options.ts'
import { runRestores } from './run-restores.ts'

export async function run(args: readonly string[]): Promise<number> {
  const asked = countedOptions(args, { restores: 30 })
  if (typeof asked === 'string') {
    console.error(asked)
    return 2
  }
  const { restores, seed, isJson } = asked
  const folder = mkdtempSync(join(tmpdir(), 'postern-restores-'))
  console.error(`seed ${seed}; everything is in ${folder}`)
  const say = (line: string) => appendFileSync(join(folder, 'faults.log'), `${new Date().toISOString()} ${line}\n`)
  const report = await runRestores({ restores, seed, folder, say })
  if (isJson) console.log(reportAsJson(report))
  else printReport(report, line => console.log(line))
  if (report.findings.length === 0) rmSync(folder, { recursive: true, force: true })
  else console.error(`kept in ${folder}; again with --restores ${restores} --seed ${seed}`)
  return report.findings.length === 0 ? 0 : 1
}
