// The one table that a run prints. A ratio above 1 is in our favour, whether more or less of the unit is better.

/** `less`: the smaller figure is better. */
type Better = 'more' | 'less'

export type Row = {
  what: string
  ours: number
  unit: string
  /** The cost of the same work without us, or in another design, in the same run. */
  peer?: { what: string; figure: number; better: Better }
  /** Our goal on two cores: a figure, or a ratio to the peer. Absent without a goal. */
  goal?: Goal
}

export type Goal = { below: number } | { above: number } | { ratio: number }

const heads = ['what', 'ours', 'unit', 'peer', 'peer’s', 'ratio', 'goal', ''] as const
const isNumber = [false, true, false, false, true, true, true, false]

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

const cellsOf = (row: Row): string[] => {
  const { what, ours, unit, peer, goal } = row
  const ratio = ratioOf(row)
  return [
    what,
    figure(ours),
    unit,
    peer?.what ?? '',
    peer ? figure(peer.figure) : '',
    ratio?.toFixed(2) ?? '',
    goal ? goalText(goal) : '',
    goal && !isMet(row, goal) ? 'missed' : '',
  ]
}

function ratioOf({ ours, peer }: Row): number | undefined {
  if (!peer) return undefined
  return peer.better === 'more' ? ours / peer.figure : peer.figure / ours
}

function goalText(goal: Goal): string {
  if ('ratio' in goal) return `ratio ${goal.ratio}`
  return 'below' in goal ? `< ${goal.below}` : `> ${goal.above}`
}

function isMet(row: Row, goal: Goal): boolean {
  if ('ratio' in goal) return (ratioOf(row) ?? 0) >= goal.ratio
  return 'below' in goal ? row.ours < goal.below : row.ours > goal.above
}

const fit = (cell: string, { at, width }: { at: number; width: number }): string =>
  isNumber[at] ? cell.padStart(width) : cell.padEnd(width)

const figure = (value: number): string => value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2)
