// Runs something for each of many, a few at a time.
import { relayTraffic } from './pace.ts'

export async function inTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item, at: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  const worker = async () => {
    for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at] as Item, at)
  }
  await Promise.all(Array.from({ length: relayTraffic.atOnce }, worker))
  return results
}

/** Retries a few times, for failures that only mean that the machine is busy. */
export async function untilDone<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let left = relayTraffic.triesMax; ; left--)
    try {
      return await work()
    } catch (error) {
      if (left <= 1) throw error
    }
}
