// A constant number of appends in flight, for a while.

export type Load = { inFlight: number; forMs: number }
export type Appended = { count: number; tookMs: number }

/** Until the last of them is answered. `append` receives the number of its worker. */
export async function appendFor(
  { inFlight, forMs }: Load,
  append: (worker: number) => Promise<unknown>,
): Promise<Appended> {
  const startedMs = performance.now()
  let count = 0
  const work = async (worker: number) => {
    while (performance.now() - startedMs < forMs) {
      await append(worker)
      count += 1
    }
  }
  await Promise.all(Array.from({ length: inFlight }, (_, worker) => work(worker)))
  return { count, tookMs: performance.now() - startedMs }
}

/** The sum over concurrent ones. */
export const totalPerSec = (all: readonly Appended[]): number =>
  all.reduce((total, { count, tookMs }) => total + (count * 1000) / tookMs, 0)
