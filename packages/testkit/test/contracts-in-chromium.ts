// Runs the contract suites that a worker has defined, each case as a separate test.
import { afterAll, test } from 'vitest'
import { connectChromium } from './chromium.ts'
import { TestWorker } from './test-worker.ts'

/** Await it at the top of a test file. `prepare`: the surroundings of the cases. */
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
  // Zero cases would be no failure.
  if (names.length === 0) throw new Error(`${entry} has defined no case`)
  for (const name of names) test(name, async () => await worker.call('runCase', name))
}
