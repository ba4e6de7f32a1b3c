// A person whose client runs in a page of Chromium, and the origin on which it finds its relay.
import type { ChatId } from '@postern/protocol'
import { World } from '@postern/testkit'
import { bundleWorker, PageServer, TestWorker } from '@postern/testkit/browser'
import type { BrowserContext } from 'playwright-core'
import type { BrowserBackup, BrowserOpening } from './browser-calls.ts'

export class BrowserPerson {
  readonly worker: TestWorker
  readonly #name: string

  constructor(name: string, worker: TestWorker) {
    this.#name = name
    this.worker = worker
  }

  /** Registers the first time; resolves when it is connected. */
  async open(restored?: BrowserBackup): Promise<string> {
    const { origin } = this.worker.pages
    const opening: BrowserOpening = { directory: this.#name, relayUrl: origin, name: this.#name }
    const account = await this.worker.call<string>('open', { ...opening, ...(restored && { restored }) })
    await this.worker.call('online')
    return account
  }

  async say(chat: ChatId, text: string): Promise<void> {
    await this.worker.call('say', chat, text)
  }

  /** As a browser does when it clears a part of its data. */
  async forgetKey(): Promise<void> {
    await this.worker.page.evaluate(async () => {
      const deleting = indexedDB.deleteDatabase('postern-key')
      await new Promise<void>(resolve => deleting.addEventListener('success', () => resolve()))
    })
  }

  async texts(chat: ChatId): Promise<string[]> {
    return await this.worker.call('texts', chat)
  }
}

/** A world whose relay is reached through an origin with pages, as if it served them itself. */
export class BrowserWorld {
  readonly world: World
  readonly pages: PageServer

  private constructor(world: World, pages: PageServer) {
    this.world = world
    this.pages = pages
  }

  static async start(): Promise<BrowserWorld> {
    const pages = await PageServer.start(await bundleWorker(import.meta.resolve('./browser-person.worker.ts')))
    const world = await World.start({ relayHosts: [pages.host] })
    pages.forwardTo(world.relayUrl)
    return new BrowserWorld(world, pages)
  }

  /** In a separate tab. */
  async person(name: string, context: BrowserContext): Promise<BrowserPerson> {
    return new BrowserPerson(name, await TestWorker.on(this.pages, context))
  }

  async stop(): Promise<void> {
    await this.world.stop()
    await this.pages.stop()
  }
}
