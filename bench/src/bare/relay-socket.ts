// A client of the bare relay: a text is sent when the relay has accepted it.
import { connect } from 'node:net'
import type { BareSettings, Frame } from './frame.ts'
import { Ledger } from './ledger.ts'
import { Lines } from './lines.ts'

type Text = { to: string; text: string }

export class RelaySocket {
  readonly #name: string
  readonly #ledger: Ledger
  readonly #lines: Lines<Frame>
  readonly #waiting = new Map<number, () => void>()
  #lastId = 0

  constructor({ port, name, ledger }: BareSettings, onText: (text: { from: string; text: string }) => void) {
    this.#name = name
    this.#ledger = new Ledger(ledger)
    this.#lines = new Lines(connect(port, '127.0.0.1'), frame => void this.#take(frame, onText))
    this.#lines.send({ kind: 'hello', name })
  }

  async send({ to, text }: Text): Promise<void> {
    await this.#ledger.keep(text)
    this.#lastId += 1
    const accepted = Promise.withResolvers<void>()
    this.#waiting.set(this.#lastId, accepted.resolve)
    this.#lines.send({ kind: 'text', id: this.#lastId, from: this.#name, to, text })
    await accepted.promise
  }

  close(): void {
    this.#lines.end()
    this.#ledger.close()
  }

  async #take(frame: Frame, onText: (text: { from: string; text: string }) => void): Promise<void> {
    if (frame.kind === 'accepted') {
      this.#waiting.get(frame.id)?.()
      this.#waiting.delete(frame.id)
    }
    if (frame.kind !== 'text') return
    await this.#ledger.keep(frame.text)
    onText(frame)
  }
}
