// Runs the contract suites that a worker has defined, each of their cases as a test of its own.
import { afterAll, test } from 'vitest'
import { connectChromium } from './chromium.ts'
import { TestWorker } from './test-worker.ts'

/** To be awaited at the top of a test file. `prepare`: what the cases find around them. */
export async function testContracts(
  entry: string,
  prepare: (worker: TestWorker) => Promise<void> = async () => undefined,
): Promise<void> {
  const browser = await connectChromium()
  const worker = await TestWorker.open(await browser.newContext(), entry)
  afterAll(async () => {
    await worker.close()
    await browser.close()
  })
  await prepare(worker)
  const names = await worker.call<string[]>('caseNames')
  // Nothing would be no failure.
  if (names.length === 0) throw new Error(`${entry} has defined no case`)
  for (const name of names) test(name, async () => await worker.call('runCase', name))
}
