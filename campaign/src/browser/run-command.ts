// `npm run campaign -- browser`: reads the command line, runs the campaign and prints its result.
import { printReport, reportAsJson } from '../chaos/report.ts'
import { countedOptions } from '../counted-options.ts'
import { runBrowser } from './run-browser.ts'

export async function run(args: readonly string[]): Promise<number> {
  const asked = countedOptions(args, { seconds: 300 })
  if (typeof asked === 'string') {
    console.error(asked)
    return 2
  }
  const { seconds, seed, isJson } = asked
  console.error(`seed ${seed}`)
  const report = await runBrowser({ seconds, seed, say: () => undefined })
  if (isJson) console.log(reportAsJson(report))
  else printReport(report, line => console.log(line))
  if (report.findings.length > 0) console.error(`again with --seconds ${seconds} --seed ${seed}`)
  return report.findings.length === 0 ? 0 : 1
}
