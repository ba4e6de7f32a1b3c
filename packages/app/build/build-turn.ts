// Whose turn it is to build: one of several processes that want the same build does it. A killed process blocks nobody.
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

const LOOK_EVERY_MS = 50
/** No build takes this long: its process is gone, and another one has its pid. */
const TURN_MS_MAX = 120_000

/** Ends when it is disposed of. */
export async function buildTurn(path: string, signal?: AbortSignal): Promise<AsyncDisposable> {
  while (!takes(path)) {
    if (isOver(path)) rmSync(path, { force: true })
    else await wait(LOOK_EVERY_MS, undefined, { signal })
  }
  return { [Symbol.asyncDispose]: async () => rmSync(path, { force: true }) }
}

function takes(path: string): boolean {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Two processes that see this at the same time may both build: each under a separate name, and the last one stays. */
function isOver(path: string): boolean {
  try {
    const ageMs = Date.now() - statSync(path).mtimeMs
    const pid = Number(readFileSync(path, 'utf8'))
    // Empty for the moment between its creation and its first byte.
    return ageMs > TURN_MS_MAX || (pid !== 0 && !isRunning(pid))
  } catch {
    // It has just ended.
    return false
  }
}

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // A process of another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
