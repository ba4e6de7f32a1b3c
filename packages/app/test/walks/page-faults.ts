// Whatever goes wrong in a page without anybody seeing it: thrown, logged as an error, refused by the policy, or asked of somebody else.
import type { BrowserContext, ConsoleMessage } from 'playwright-core'

/** What a browser says of a server that is not there. */
const CUT = /net::ERR_|WebSocket connection to|Failed to load resource/

export class PageFaults {
  readonly #found: string[] = []
  /** The relay is away, or was at this moment: that it cannot be reached is no fault of the page. */
  mayBeCut = false
  /** What the test itself breaks, by its words. */
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
