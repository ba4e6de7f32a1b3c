// A browser for many tests: one that has ended is started again, so that it fails one test and not all after it.
import type { Browser } from 'playwright-core'

export class LivingBrowser {
  readonly #start: () => Promise<Browser>
  #started: Promise<Browser> | undefined

  constructor(start: () => Promise<Browser>) {
    this.#start = start
  }

  async get(): Promise<Browser> {
    const known = this.#started
    if (known === undefined) return await (this.#started = this.#start())
    const browser = await known
    if (browser.isConnected()) return browser
    // Another caller may have noticed it first.
    if (this.#started !== known) return await this.get()
    console.warn('A browser has ended in the middle of its tests. Another one is started.')
    return await (this.#started = this.#start())
  }

  /** By a question to it: it ends a moment after a page that has crashed. */
  async assertAlive(): Promise<void> {
    const browser = await this.#started
    try {
      await (await browser?.newContext())?.close()
    } catch (cause) {
      // The retry of the tests in browsers reads these words.
      throw new Error('The browser has ended in the middle of this test.', { cause })
    }
  }

  isAlive(): Promise<boolean> {
    return this.assertAlive().then(
      () => true,
      () => false,
    )
  }

  async close(): Promise<void> {
    await (await this.#started)?.close()
  }
}
