// The metrics that a process serves, and those that docs/operating.md describes: for tests that compare the two.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const OPERATING = join(import.meta.dirname, '../../../docs/operating.md')

export type Scrape = {
  /** Each sample by its name and labels. */
  samples: Record<string, number>
  /** The metrics in the notation of the tables: `name{label} kind`. */
  shapes: string[]
  /** The names of the samples in Prometheus: for a histogram `_bucket`, `_sum` and `_count`. */
  names: Set<string>
}

export function readScrape(text: string): Scrape {
  const lines = text.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  const samples = Object.fromEntries(
    lines.map(line => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  )
  const kinds = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)]
  const shapes = kinds.map(([, name = '', kind = '']) => `${name}${labelsOf(name, lines)} ${kind}`)
  const names = kinds.flatMap(([, name = '', kind]) =>
    kind === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  )
  return { samples, shapes, names: new Set(names) }
}

/** The labels of its first sample. The bounds of a histogram belong to its kind. */
function labelsOf(name: string, lines: string[]): string {
  const labels = lines.find(line => line.startsWith(`${name}{`))?.matchAll(/[{,](\w+)="/g) ?? []
  const written = [...labels].map(([, label]) => label).join(',')
  return written && `{${written}}`
}

/** The rows of the table below a heading, written like `shapes`. */
export function documentedMetrics(heading: string): string[] {
  const [, section = ''] = readFileSync(OPERATING, 'utf8').split(`## ${heading}\n`)
  const rows = (section.split('\n## ')[0] ?? '').matchAll(/^\| `(\w+(?:\{[\w,]+\})?)` \| (\w+) \|/gm)
  return [...rows].map(([, shape, kind]) => `${shape} ${kind}`)
}
