// Hidden faults of a page: thrown, logged as an error, refused by the policy, or requested from another server.
import type { BrowserContext, ConsoleMessage } from 'playwright-core'

/** The browser's messages about a missing server. */
const CUT = /net::ERR_|WebSocket connection to|Failed to load resource/

export class PageFaults {
  readonly #found: string[] = []
  /** The relay is or was away: that it is unreachable is no fault of the page. */
  mayBeCut = false
  /** The faults that the test itself causes, by their words. */
  expected: RegExp | undefined

  constructor(context: BrowserContext, origin: string) {
    context.on('weberror', fault => void this.#found.push(`thrown: ${fault.error().stack ?? fault.error().message}`))
    context.on('console', message => this.#note(message))
    context.on('request', request => {
      const url = new URL(request.url())
      const isOwn = url.protocol === 'blob:' || url.protocol === 'data:' || url.host === new URL(origin).host
      if (!isOwn) this.#found.push(`asked of somebody else: ${request.url()}`)
    })
  }

  /** A refusal by the policy is an error of the console, too. */
  #note(message: ConsoleMessage): void {
    if (message.type() !== 'error' || (this.mayBeCut && CUT.test(message.text()))) return
    this.#found.push(`console: ${message.text()} (${message.location().url})`)
  }

  assertNone(): void {
    const found = this.#found.filter(fault => !this.expected?.test(fault))
    if (found.length > 0) throw new Error(`a page had faults:\n${found.join('\n')}`)
  }
}
