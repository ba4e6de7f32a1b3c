// The test's side of a conversation with a worker in a page of Chromium.
import type { BrowserContext, Page } from 'playwright-core'
import { bundleWorker } from './bundle-worker.ts'
import { PageServer } from './page-server.ts'

/** An error of a call in the worker, with its code. */
export class WorkerFailure extends Error {
  readonly code: string | undefined

  constructor({ message, code }: { message: string; code?: string | undefined }) {
    super(message)
    this.name = 'WorkerFailure'
    this.code = code
  }
}

type Said = { value?: unknown; failure?: { message: string; code?: string } }
/** Values that the page keeps for us. */
type PageScope = { worker?: Worker; ask?: (name: string, given: unknown[]) => Promise<Said> }

/** A page on a separate origin, with the worker in it. */
export class TestWorker {
  readonly pages: PageServer
  readonly page: Page

  private constructor(pages: PageServer, page: Page) {
    this.pages = pages
    this.page = page
  }

  static async open(context: BrowserContext, entry: string): Promise<TestWorker> {
    return await TestWorker.on(await PageServer.start(await bundleWorker(entry)), context)
  }

  static async on(pages: PageServer, context: BrowserContext): Promise<TestWorker> {
    const page = await context.newPage()
    await page.goto(`${pages.origin}/test/`)
    const worker = new TestWorker(pages, page)
    await worker.restart()
    return worker
  }

  /** Ends the worker in the middle of its work, and starts another. */
  async restart(): Promise<void> {
    await this.page.evaluate(() => {
      const scope = globalThis as unknown as PageScope
      scope.worker?.terminate()
      const worker = new Worker('worker.js', { type: 'module' })
      const waiting = new Map<number, (said: Said) => void>()
      worker.addEventListener('message', (event: MessageEvent<Said & { id: number }>) => {
        waiting.get(event.data.id)?.(event.data)
        waiting.delete(event.data.id)
      })
      worker.addEventListener('error', event => {
        for (const end of waiting.values()) end({ failure: { message: `the worker failed: ${event.message}` } })
      })
      let last = 0
      scope.worker = worker
      scope.ask = (name, given) =>
        new Promise(resolve => {
          last += 1
          waiting.set(last, resolve)
          worker.postMessage({ id: last, name, given })
        })
    })
  }

  async call<Value>(name: string, ...given: unknown[]): Promise<Value> {
    const said = await this.page.evaluate(
      asked => (globalThis as unknown as Required<PageScope>).ask(asked.name, asked.given),
      { name, given },
    )
    if (said.failure) throw new WorkerFailure(said.failure)
    return said.value as Value
  }

  async close(): Promise<void> {
    await this.page.close()
    await this.pages.stop()
  }
}
