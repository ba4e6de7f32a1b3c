// The result of a campaign: faults by kind, deeds by kind, and findings.
import type { Finding, Wrong } from './check/finding.ts'

export type Report = {
  findings: readonly Finding[]
  faults: ReadonlyMap<string, number>
  /** The number of acknowledged deeds of each kind. */
  acknowledged: ReadonlyMap<string, number>
  /** How often each sentence occurred. */
  refusals?: ReadonlyMap<string, number>
}

const SHOWN_EACH = 5
/** Columns of the table; all other findings are listed below it. */
const columns: readonly Wrong[] = ['lost', 'doubled', 'reordered']

export function printReport(report: Report, print: (line: string) => void): void {
  print('')
  print(rowOf(['faults', 'count']))
  for (const [what, count] of [...report.faults].toSorted(([a], [b]) => a.localeCompare(b)))
    print(rowOf([what, String(count)]))
  print('')
  print(rowOf(['deeds', 'acknowledged', ...columns]))
  const kinds = new Set([...report.acknowledged.keys(), ...report.findings.map(({ deed }) => deed)])
  for (const kind of [...kinds].toSorted()) {
    const counts = columns.map(wrong => countOf(report.findings, { wrong, deed: kind }))
    print(rowOf([kind, String(report.acknowledged.get(kind) ?? 0), ...counts.map(String)]))
  }
  printRefusals(report, print)
  print('')
  print(report.findings.length === 0 ? 'Nothing is wrong.' : `${report.findings.length} findings:`)
  const byKind = Map.groupBy(report.findings, ({ wrong, deed }) => `${wrong} ${deed}`)
  for (const [kind, findings] of byKind) {
    for (const { what } of findings.slice(0, SHOWN_EACH)) print(`  ${kind}: ${what}`)
    if (findings.length > SHOWN_EACH) print(`  ${kind}: and ${findings.length - SHOWN_EACH} more`)
  }
}

function printRefusals({ refusals = new Map() }: Report, print: (line: string) => void): void {
  if (refusals.size === 0) return
  print('')
  print('refused, each in order by itself:')
  for (const [sentence, count] of [...refusals].toSorted((a, b) => b[1] - a[1]).slice(0, 12))
    print(`  ${count} × ${sentence}`)
}

const countOf = (findings: readonly Finding[], { wrong, deed }: { wrong: Wrong; deed: string }): number =>
  findings.filter(finding => finding.wrong === wrong && finding.deed === deed).length

const rowOf = ([first = '', ...rest]: readonly string[]): string =>
  [first.padEnd(28), ...rest.map(cell => cell.padStart(13))].join('')

export const reportAsJson = ({ findings, faults, acknowledged, refusals = new Map() }: Report): string =>
  JSON.stringify({
    findings,
    faults: Object.fromEntries(faults),
    acknowledged: Object.fromEntries(acknowledged),
    refusals: Object.fromEntries(refusals),
  })
