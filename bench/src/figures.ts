// Statistics of many measurements, and how two sides take turns.

export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

export const median = (values: readonly number[]): number => percentile(values, 0.5)

/** Each side in turn, in reverse order in every second round: the machine's disturbances must hit all alike. */
export async function inTurn(rounds: number, sides: readonly (() => Promise<void>)[]): Promise<void> {
  for (let round = 0; round < rounds; round++)
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) await side()
}

/** Rate per second: `atOnce` at a time, `count` in all. */
export async function ratePerSec(
  work: (at: number) => Promise<unknown>,
  { count, atOnce }: { count: number; atOnce: number },
): Promise<number> {
  let next = 0
  const worker = async () => {
    while (next < count) await work(next++)
  }
  const startedMs = performance.now()
  await Promise.all(Array.from({ length: atOnce }, worker))
  return (count * 1000) / (performance.now() - startedMs)
}

/** One after the other; the time of each in ms. */
export async function timesMs(count: number, work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  for (let at = 0; at < count; at++) {
    const startedMs = performance.now()
    await work()
    times.push(performance.now() - startedMs)
  }
  return times
}
