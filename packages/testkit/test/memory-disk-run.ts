// Once for a run of tests: their directories are in memory, where there is room for them, and no test waits for a disk.
// What a kill leaves is the same there; what a power cut leaves is played by a library that knows which writes were waited for.
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { freemem } from 'node:os'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
const NAME = 'postern-test-'
/** Two tests with the largest files there are, twice over: a run that fills the memory fails for no fault of the code. */
const ROOM_BYTES_MIN = 6 * 1024 ** 3

let directory: string | undefined

/** In containers it is often small, or nothing can be started from it. */
function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return Math.min(bavail * bsize, freemem()) >= ROOM_BYTES_MIN
  } catch {
    return false
  }
}

function isExecutable(place: string): boolean {
  const program = join(place, 'program')
  writeFileSync(program, '#!/bin/sh\nexit 0\n', { mode: 0o700 })
  const { status } = spawnSync(program)
  rmSync(program)
  return status === 0
}

/** What a run has left that was killed stays in memory, and nobody would look for it there. */
function removeLeftovers(): void {
  for (const name of readdirSync(MEMORY)) {
    const pid = Number(/^postern-test-(\d+)-/.exec(name)?.[1])
    if (!(pid > 0) || existsSync(`/proc/${pid}`)) continue
    try {
      rmSync(join(MEMORY, name), { recursive: true, force: true })
    } catch {
      // Somebody else's.
    }
  }
}

export function setup(): void {
  // Who names a place wants that one.
  if (process.env['TMPDIR'] !== undefined || !hasRoom()) return
  removeLeftovers()
  directory = mkdtempSync(join(MEMORY, `${NAME}${process.pid}-`))
  // A database server that runs under another name must reach its directory below this one.
  chmodSync(directory, 0o711)
  // Also after a signal, when vitest tears nothing down.
  process.on('exit', teardown)
  if (isExecutable(directory)) process.env['TMPDIR'] = directory
}

export function teardown(): void {
  if (directory !== undefined) rmSync(directory, { recursive: true, force: true })
}
