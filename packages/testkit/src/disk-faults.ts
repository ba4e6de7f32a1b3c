// A disk that fails for one process, as long as a test wants: reads, writes, syncs and opens return EIO below one directory.
import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const SOURCE = join(import.meta.dirname, 'disk-faults.c')
const BITS = { reads: 1, writes: 2, syncs: 4, opens: 8 } as const
const CALLS_IN_ALL = 256
/** The variable that names the file of the switch. */
const SWITCH = 'DISK_FAULTS_SWITCH'

export type FailingCalls = keyof typeof BITS

/** The library, or the reason why there is none. Made in the test's own directory. */
export type DiskFaultsLibrary = { kind: 'made'; path: string } | { kind: 'missing'; why: string }

export function makeDiskFaults(directory: string): DiskFaultsLibrary {
  if (process.platform !== 'linux') return { kind: 'missing', why: 'failing disks are played on Linux alone' }
  const path = join(directory, 'disk-faults.so')
  const made = spawnSync('cc', ['-O1', '-shared', '-fPIC', '-o', path, SOURCE, '-ldl', '-lpthread'], {
    encoding: 'utf8',
  })
  if (made.error) return { kind: 'missing', why: 'there is no C compiler: install one that is called by cc' }
  if (made.status !== 0) return { kind: 'missing', why: `cc failed: ${made.stderr.trim()}` }
  return { kind: 'made', path }
}

export class FailingDisk {
  readonly directory: string
  /** For the process that has its data there. */
  readonly env: Readonly<Record<string, string>>
  readonly #switch: string

  constructor(library: string, directory: string) {
    this.directory = directory
    this.#switch = `${directory}.switch`
    mkdirSync(directory, { recursive: true })
    writeFileSync(this.#switch, Buffer.alloc(2))
    this.env = {
      LD_PRELOAD: library,
      DISK_FAULTS_ROOT: directory,
      [SWITCH]: this.#switch,
      // Calls through io_uring bypass the C library and would not fail.
      UV_USE_IO_URING: '0',
    }
  }

  /** Until it is disposed of. `share`: the share of the calls that fail, between 0 and 1. */
  fail(calls: readonly FailingCalls[], share = 1): Disposable {
    setSwitch(this.#switch, calls, share)
    return { [Symbol.dispose]: () => setSwitch(this.#switch, [], 1) }
  }
}

/** For a process on such a disk that makes its own calls fail, in its own order. */
export function failOwnCalls(calls: readonly FailingCalls[], share = 1): void {
  const path = process.env[SWITCH]
  if (path === undefined) throw new Error('this process has no failing disk')
  setSwitch(path, calls, share)
}

/** In place: the process has the file mapped. */
function setSwitch(path: string, calls: readonly FailingCalls[], share: number): void {
  const bits = calls.reduce((all, call) => all | BITS[call], 0)
  const ofAll = share < 1 ? Math.max(1, Math.floor(share * CALLS_IN_ALL)) : 0
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.from([bits, ofAll]), 0, 2, 0)
  closeSync(file)
}
