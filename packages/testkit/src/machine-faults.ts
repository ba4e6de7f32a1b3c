// What a machine runs out of, for the process of a test alone: files that cannot grow, and no descriptors. Needs no privileges.
import { execFileSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'

/** Enough for what a test opens, and few enough to be used up at once. */
const DESCRIPTORS = 1024

function limit(what: 'fsize' | 'nofile', soft: number | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(process.pid), `--${what}=${soft}:`])
}

/**
 * From here on no file grows beyond so many bytes, and nothing is written behind that: as on a disk that is full, also for
 * SQLite's log. The system calls it EFBIG, and SQLite an I/O error.
 */
export function failWrites(fileBytesMax = 0): Disposable {
  limit('fsize', fileBytesMax)
  return { [Symbol.dispose]: () => limit('fsize', 'unlimited') }
}

/** From here on nothing can be opened: no file, no socket, and no connection is taken. */
export function useUpDescriptors(): Disposable {
  limit('nofile', DESCRIPTORS)
  const taken: number[] = []
  try {
    for (;;) taken.push(openSync('/dev/null', 'r'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EMFILE') throw error
  }
  return {
    [Symbol.dispose]: () => {
      for (const descriptor of taken) closeSync(descriptor)
    },
  }
}
