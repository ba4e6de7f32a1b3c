// Hidden faults of a page: thrown, logged as an error, refused by the policy, or requested from another server.
import type { BrowserContext } from 'playwright-core'

/** The browsers' messages about a missing server. */
const CUT =
  /net::ERR_|WebSocket connection to|Failed to load resource|can’t establish a connection|connection to \S+ was interrupted/

export class PageFaults {
  readonly #found: string[] = []
  /** The relay is or was away: that it is unreachable is no fault of the page. */
  mayBeCut = false
  /** The faults that the test itself causes, by their words. */
  expected: RegExp | undefined

  /** `origins`: the servers that the page may ask. */
  constructor(context: BrowserContext, origins: readonly string[]) {
    const hosts = new Set(origins.map(origin => new URL(origin).host))
    context.on('weberror', fault => {
      const { message, stack } = fault.error()
      this.#note(message, `thrown: ${stack ?? message}`)
    })
    context.on('console', message => {
      if (message.type() === 'error')
        this.#note(message.text(), `console: ${message.text()} (${message.location().url})`)
    })
    context.on('request', request => {
      const url = new URL(request.url())
      const isOwn = url.protocol === 'blob:' || url.protocol === 'data:' || hosts.has(url.host)
      if (!isOwn) this.#found.push(`asked of somebody else: ${request.url()}`)
    })
  }

  /** A refusal by the policy is an error of the console, too. Firefox throws what Chromium logs about a missing server. */
  #note(words: string, fault: string): void {
    if (!(this.mayBeCut && CUT.test(words))) this.#found.push(fault)
  }

  assertNone(): void {
    const found = this.#found.filter(fault => !this.expected?.test(fault))
    if (found.length > 0) throw new Error(`a page had faults:\n${found.join('\n')}`)
  }
}
