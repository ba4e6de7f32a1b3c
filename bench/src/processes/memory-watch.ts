// The most memory that this process has, looked at so often that a short peak is seen; and what it needs when it rests.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const EVERY_MS = 5

let peakBytes = 0
let timer: NodeJS.Timeout | undefined

const look = (): void => {
  peakBytes = Math.max(peakBytes, process.memoryUsage.rss())
}

/** From now on. */
export function watchMemory(): void {
  peakBytes = 0
  timer ??= setInterval(look, EVERY_MS).unref()
}

export function peakRssMib(): number {
  look()
  clearInterval(timer)
  timer = undefined
  return peakBytes / 2 ** 20
}

/** What is left when all that nobody needs is gone. */
export function settledRssMib(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let round = 0; round < 3; round++) collect()
  return process.memoryUsage.rss() / 2 ** 20
}
