// Time that passes while a test waits for something.
import type { ManualClock } from '@postern/testkit'

/** A tenth of a second at each turn of the event loop, until it is done. */
export async function passTime<T>(clock: ManualClock, work: Promise<T>): Promise<T> {
  const settled = work.then(
    () => true,
    () => true,
  )
  const turn = () => new Promise<false>(resolve => setImmediate(() => resolve(false)))
  while (!(await Promise.race([settled, turn()]))) clock.advance(100)
  return await work
}
