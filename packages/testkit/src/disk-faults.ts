// A disk that fails for one process, as long as a test wants: reads, writes, syncs and opens return EIO below one directory.
import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const SOURCE = join(import.meta.dirname, 'disk-faults.c')
const BITS = { reads: 1, writes: 2, syncs: 4, opens: 8 } as const
const CALLS_IN_ALL = 256

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
      DISK_FAULTS_SWITCH: this.#switch,
      // Calls through io_uring bypass the C library and would not fail.
      UV_USE_IO_URING: '0',
    }
  }

  /** Until it is disposed of. `share`: the share of the calls that fail, between 0 and 1. */
  fail(calls: readonly FailingCalls[], share = 1): Disposable {
    this.#set(
      calls.reduce((bits, call) => bits | BITS[call], 0),
      share < 1 ? Math.max(1, Math.floor(share * CALLS_IN_ALL)) : 0,
    )
    return { [Symbol.dispose]: () => this.#set(0, 0) }
  }

  /** In place: the process has the file mapped. */
  #set(...bytes: [bits: number, ofAll: number]): void {
    const file = openSync(this.#switch, 'r+')
    writeSync(file, Buffer.from(bytes), 0, bytes.length, 0)
    closeSync(file)
  }
}
