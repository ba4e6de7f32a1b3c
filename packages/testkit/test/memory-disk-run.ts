// Once per test run: puts the tests' directories into memory if there is space, so that no test waits for a disk. The
// state after a kill is the same there. The state after a power cut is simulated by a library that knows which writes
// were awaited.
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { freemem } from 'node:os'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
const NAME = 'postern-test-'
/** Two tests with the largest files, twice over: a run that fills the memory fails through no fault of the code. */
const ROOM_BYTES_MIN = 6 * 1024 ** 3

let directory: string | undefined

/** In containers it is often small, or programs cannot be started from it. */
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

/** Leftovers of a killed run stay in memory, and nobody would look for them there. */
function removeLeftovers(): void {
  for (const name of readdirSync(MEMORY)) {
    const pid = Number(/^postern-test-(\d+)-/.exec(name)?.[1])
    if (!(pid > 0) || existsSync(`/proc/${pid}`)) continue
    try {
      rmSync(join(MEMORY, name), { recursive: true, force: true })
    } catch {
      // It belongs to another user.
    }
  }
}

export function setup(): void {
  // An explicit TMPDIR is respected.
  if (process.env['TMPDIR'] !== undefined || !hasRoom()) return
  removeLeftovers()
  directory = mkdtempSync(join(MEMORY, `${NAME}${process.pid}-`))
  // A database server that runs as another user must reach its directory below this one.
  chmodSync(directory, 0o711)
  // Also after a signal, when vitest tears nothing down.
  process.on('exit', teardown)
  if (isExecutable(directory)) process.env['TMPDIR'] = directory
}

export function teardown(): void {
  if (directory !== undefined) rmSync(directory, { recursive: true, force: true })
}
