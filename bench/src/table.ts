// The one table that a run prints. A ratio above 1 is in our favour, whether more or less of the unit is better.

/** `less`: the smaller figure is the better one. */
type Better = 'more' | 'less'

export type Row = {
  what: string
  ours: number
  unit: string
  /** What the same work costs without us, or in another design, in the same run. */
  peer?: { what: string; figure: number; better: Better }
}

const heads = ['what', 'ours', 'unit', 'peer', 'peer’s', 'ratio'] as const
const isNumber = [false, true, false, false, true, true]

export function printTable(rows: readonly Row[]): void {
  const lines = [[...heads], ...rows.map(cellsOf)]
  const widths = heads.map((_, column) => Math.max(...lines.map(line => line[column]?.length ?? 0)))
  for (const line of lines)
    console.log(
      line
        .map((cell, at) => fit(cell, { at, width: widths[at] ?? 0 }))
        .join('  ')
        .trimEnd(),
    )
}

const cellsOf = ({ what, ours, unit, peer }: Row): string[] => [
  what,
  figure(ours),
  unit,
  peer?.what ?? '',
  peer ? figure(peer.figure) : '',
  peer ? (peer.better === 'more' ? ours / peer.figure : peer.figure / ours).toFixed(2) : '',
]

const fit = (cell: string, { at, width }: { at: number; width: number }): string =>
  isNumber[at] ? cell.padStart(width) : cell.padEnd(width)

const figure = (value: number): string => value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2)
