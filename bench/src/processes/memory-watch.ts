// The peak memory of this process, sampled often enough to see a short peak; and its memory at rest.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const EVERY_MS = 5

let peakBytes = 0
let timer: NodeJS.Timeout | undefined

const look = (): void => {
  peakBytes = Math.max(peakBytes, process.memoryUsage.rss())
}

/** Starts now. */
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

/** The memory after a full garbage collection. */
export function settledRssMib(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let round = 0; round < 3; round++) collect()
  return process.memoryUsage.rss() / 2 ** 20
}
