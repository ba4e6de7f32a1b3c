// Builds the library that records a part's changes to its directory, and the environment to start a part with it.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const SOURCE = join(import.meta.dirname, 'disk-log.c')

/** The library, or the reason why there is none. */
export type DiskLogLibrary = { kind: 'made'; path: string } | { kind: 'missing'; why: string }

/** Into the run's own directory: nobody else can place a file there that is then loaded into a part. */
export function makeDiskLog(directory: string): DiskLogLibrary {
  if (process.platform !== 'linux') return { kind: 'missing', why: 'power cuts are played on Linux alone' }
  const path = join(directory, 'disk-log.so')
  const made = spawnSync('cc', ['-O1', '-shared', '-fPIC', '-o', path, SOURCE, '-ldl', '-lpthread'], {
    encoding: 'utf8',
  })
  if (made.error) return { kind: 'missing', why: 'there is no C compiler: install one that is called by cc' }
  if (made.status !== 0) return { kind: 'missing', why: `cc failed: ${made.stderr.trim()}` }
  return { kind: 'made', path }
}

export function diskLogEnvironment(
  library: string,
  watched: { directory: string; log: string },
): Record<string, string> {
  return {
    LD_PRELOAD: library,
    DISK_LOG_ROOT: watched.directory,
    DISK_LOG_FILE: watched.log,
    // Calls through io_uring bypass the C library and would not be recorded.
    UV_USE_IO_URING: '0',
  }
}
