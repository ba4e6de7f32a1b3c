// The most memory that this process has, looked at so often that a short peak is seen.

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
