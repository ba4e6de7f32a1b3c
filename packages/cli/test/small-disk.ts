// A process on a disk that a test fills and frees: a separate file system if one can be mounted, otherwise files that
// cannot grow.
import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { failWrites } from '@postern/testkit/faults'

const DISK_BYTES = 24 << 20
const BLOCK = Buffer.alloc(64 * 1024, 1)
const SMALL_BLOCK = Buffer.alloc(512, 1)

export type DiskKind = 'a file system without room' | 'files that cannot grow'

/** A process may mount one in its own namespace; if the system does not allow that, nothing can be mounted at all. */
export const canMount = (): boolean => {
  const { status } = spawnSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs -o size=1m none /mnt'])
  return status === 0
}

export class SmallDisk {
  readonly kind: DiskKind
  /** The process's data directory. */
  readonly directory: string

  constructor(kind: DiskKind, directory: string) {
    this.kind = kind
    this.directory = directory
    mkdirSync(directory, { recursive: true })
  }

  /** The command prefix for a process that runs on this disk. */
  get wrapper(): string[] {
    if (this.kind === 'files that cannot grow') return []
    const mount = `mount -t tmpfs -o size=${DISK_BYTES} none '${this.directory}' && exec "$@"`
    return ['unshare', '-rm', 'sh', '-c', mount, 'sh']
  }

  /** Until it is disposed of, the process has no space. */
  fill(pid: number): Disposable {
    return this.kind === 'files that cannot grow'
      ? failWrites(0, pid)
      : fillUp(join(`/proc/${pid}/root`, this.directory))
  }
}

function fillUp(directory: string): Disposable {
  const path = join(directory, 'filler')
  const file = openSync(path, 'w')
  for (const block of [BLOCK, SMALL_BLOCK]) while (isWritten(file, block)) continue
  closeSync(file)
  return { [Symbol.dispose]: () => rmSync(path) }
}

function isWritten(file: number, block: Buffer): boolean {
  try {
    return writeSync(file, block) > 0
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false
    throw error
  }
}
