// Pushes an account's mailbox to one connection, page by page, at most one window ahead of its reader.
import { type AccountId, inBackground, logFault, wireLimits } from '@postern/protocol'
import type { MailboxEntry } from '@postern/protocol/relay'
import type { RelayContext } from '../context.ts'
import { entryBytes } from '../store/entry-bytes.ts'
import type { Page } from '../store/relay-store.ts'
import { chainedFrame, deliverFrame } from './deliver-frame.ts'

export type Outlet = {
  /** One frame, in one or several pieces. */
  send(...pieces: Uint8Array[]): void
  /** False while the peer reads too slowly; `Follower.pump` is called when there is space again. */
  hasRoom(): boolean
  close(code: number, reason: string): void
  /** Sends the reason and waits for nothing. */
  cutOff(code: number, reason: string): void
}

const NOTHING: Page = { entries: [], more: false }

type State = 'waiting' | 'reading' | 'ended'

export class Follower {
  readonly #parts: RelayContext
  readonly #account: AccountId
  readonly #outlet: Outlet
  readonly #isChained: boolean
  readonly #unsubscribe: () => void
  /** Delivered and not acknowledged, oldest first. */
  readonly #ahead: { cursor: number; bytes: number }[] = []
  #aheadBytes = 0
  #position: number
  #state: State = 'waiting'
  /** New entries may have arrived during the last read. */
  #hinted = false
  /** There may be more, but the reader has to acknowledge first. */
  #isHeldBack = false

  constructor(parts: RelayContext, outlet: Outlet, start: { account: AccountId; after: number; isChained: boolean }) {
    this.#parts = parts
    this.#outlet = outlet
    this.#account = start.account
    this.#isChained = start.isChained
    this.#position = start.after
    this.#unsubscribe = parts.wake.subscribe(start.account, () => this.pump())
  }

  /** Call it whenever there may be new entries or new space to send. Never throws. */
  pump(): void {
    this.#hinted = true
    if (this.#state !== 'waiting') return
    this.#state = 'reading'
    this.#readOn()
  }

  acknowledged(cursor: number): void {
    const firstKept = this.#ahead.findIndex(page => page.cursor > cursor)
    const dropped = this.#ahead.splice(0, firstKept === -1 ? this.#ahead.length : firstKept)
    if (dropped.length === 0) return
    for (const entry of dropped) this.#aheadBytes -= entry.bytes
    // A reader that was not held back has everything: an acknowledgement makes nothing new available.
    if (this.#isHeldBack) this.pump()
  }

  end(): void {
    this.#state = 'ended'
    this.#unsubscribe()
  }

  /** A page that the store returns synchronously is sent before this returns, and so before any answer. */
  #readOn(): void {
    try {
      while (this.#state === 'reading') {
        this.#hinted = false
        const page = this.#page()
        if (page instanceof Promise) return this.#readOnAfter(page)
        this.#handle(page)
      }
    } catch (error) {
      this.#fail(error)
    }
  }

  #readOnAfter(page: Promise<Page>): void {
    const over = page.then(
      found => {
        if (this.#state === 'reading') this.#handle(found)
        this.#readOn()
      },
      (error: unknown) => this.#fail(error),
    )
    inBackground(over, { what: 'mailbox not readable', log: this.#parts.log })
  }

  #handle({ entries, more }: Page): void {
    if (entries.length > 0) this.#deliver(entries)
    if (!more && !this.#hinted) this.#state = 'waiting'
  }

  /** An open connection would look alive and deliver nothing. A client that reconnects continues reading. */
  #fail(error: unknown): void {
    this.#outlet.close(1011, 'internal')
    logFault(error, { what: 'mailbox not readable', log: this.#parts.log })
  }

  /** Empty if there is nothing new, or if the reader has to catch up first. */
  #page(): Page | Promise<Page> {
    const { limits, store } = this.#parts
    const entriesLeft = limits.unacknowledgedEntriesMax - this.#ahead.length
    const bytesLeft = limits.unacknowledgedBytesMax - this.#aheadBytes
    this.#isHeldBack = entriesLeft <= 0 || bytesLeft <= 0
    if (this.#isHeldBack || !this.#outlet.hasRoom()) return NOTHING
    return store.readMailbox(this.#account, this.#position, {
      entriesMax: Math.min(entriesLeft, wireLimits.deliverEntriesMax),
      bytesMax: Math.min(bytesLeft, wireLimits.deliverBytesMax),
    })
  }

  #deliver(entries: MailboxEntry[]): void {
    const frame = this.#isChained ? chainedFrame(this.#position, entries) : [deliverFrame(entries)]
    for (const entry of entries) {
      const { cursor } = entry
      const bytes = entryBytes(entry)
      this.#ahead.push({ cursor, bytes })
      this.#aheadBytes += bytes
      this.#position = cursor
    }
    this.#parts.figures.delivered.add('', entries.length)
    this.#outlet.send(...frame)
  }
}
