// Kills every process of a test run when the run ends, however it ends: vitest tears nothing down after a signal.
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** A process that is being started while others are killed is found in the next round. */
const ROUNDS_MAX = 20

type Row = { pid: number; parent: number; isGone: boolean }

/** Undefined for a process that has ended since the folder was listed. */
function rowOf(pid: string): Row | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name of a program is in brackets and may contain anything.
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { pid: Number(pid), parent: Number(parent), isGone: state === 'Z' || state === 'X' }
  } catch {
    return undefined
  }
}

function descendants(of: number): number[] {
  const rows = readdirSync('/proc').flatMap(name => (/^\d+$/.test(name) ? (rowOf(name) ?? []) : []))
  const found = [of]
  for (const ancestor of found) found.push(...rows.filter(({ parent }) => parent === ancestor).map(({ pid }) => pid))
  return rows.filter(({ pid, isGone }) => !isGone && pid !== of && found.includes(pid)).map(({ pid }) => pid)
}

function killAll(): void {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const left = descendants(process.pid)
    if (left.length === 0) return
    for (const pid of left) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It has already ended.
      }
    }
  }
}

/** The process that already does this: every project of a run sets up. */
const ENDING = 'POSTERN_TEST_ENDING'

export function setup(): void {
  const self = String(process.pid)
  if (process.env[ENDING] === self || !existsSync('/proc/self/stat')) return
  process.env[ENDING] = self
  process.on('exit', killAll)
}
