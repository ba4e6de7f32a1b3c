// `npm run campaign -- chaos`: reads the command line, runs the campaign and prints its result.
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ChaosAsked, readOptions } from './options.ts'
import { printReport, type Report, reportAsJson } from './report.ts'
import { runChaos } from './run-chaos.ts'

export async function run(args: readonly string[]): Promise<number> {
  const asked = readOptions(args)
  if (typeof asked === 'string') {
    console.error(asked)
    return 2
  }
  const report = await play(asked)
  if (asked.isJson) console.log(reportAsJson(report))
  else printReport(report, line => console.log(line))
  return report.findings.length > 0 ? 1 : 0
}

async function play({ minutes, isJson, isVerbose, ...schedule }: ChaosAsked): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-campaign-'))
  const print = isJson ? console.error : console.log
  const say = (line: string) => {
    appendFileSync(join(folder, 'faults.log'), `${new Date().toISOString()} ${line}\n`)
    if (isVerbose) print(line)
  }
  print(`seed ${schedule.seed}; everything is in ${folder}`)
  const report = await runChaos({ ...schedule, folder, say, ms: minutes * 60_000 })
  if (report.findings.length > 0) print(`kept: ${folder}; to run it again: --seed ${schedule.seed}`)
  else rmSync(folder, { recursive: true, force: true })
  return report
}
