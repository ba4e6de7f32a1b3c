// Exhausts resources of the machine for the test's process alone: files that cannot grow, and no descriptors. Needs no
// privileges.
import { execFileSync } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'

/** Enough for a test, and few enough to be used up quickly. */
const DESCRIPTORS = 1024

type Limit = { what: 'fsize' | 'nofile'; soft: number | 'unlimited'; pid?: number | undefined }

function limit({ what, soft, pid = process.pid }: Limit): void {
  execFileSync('prlimit', ['--pid', String(pid), `--${what}=${soft}:`])
}

/**
 * From here on no file grows beyond this size, and nothing is written after it: as on a full disk, also for SQLite's
 * log. The system calls it EFBIG, and SQLite an I/O error.
 */
export function failWrites(fileBytesMax = 0, pid?: number): Disposable {
  limit({ what: 'fsize', soft: fileBytesMax, pid })
  return { [Symbol.dispose]: () => limit({ what: 'fsize', soft: 'unlimited', pid }) }
}

/** From here on nothing can be opened: no file, no socket, and no connection is accepted. */
export function useUpDescriptors(): Disposable {
  const before = Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1])
  limit({ what: 'nofile', soft: DESCRIPTORS })
  const taken: number[] = []
  try {
    for (;;) taken.push(openSync('/dev/null', 'r'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EMFILE') throw error
  }
  return {
    [Symbol.dispose]: () => {
      for (const descriptor of taken) closeSync(descriptor)
      // Other test files may follow in this process.
      limit({ what: 'nofile', soft: before })
    },
  }
}
