// Stores the positions up to which devices got their pushes; many share a write.
import { type Log, logFault } from '@postern/protocol'
import type { PushStore } from '../store/push-store.ts'

export class PushedPositions {
  readonly #parts: { store: PushStore; log: Log }
  readonly #waiting = new Map<string, number>()
  #writing: Promise<void> | undefined

  constructor(parts: { store: PushStore; log: Log }) {
    this.#parts = parts
  }

  note(device: string, pos: number): void {
    this.#waiting.set(device, pos)
    this.#writing ??= this.#write()
  }

  async written(): Promise<void> {
    await this.#writing
  }

  /** Never rejects: a position that is not stored means a second push after a restart. */
  async #write(): Promise<void> {
    const { store, log } = this.#parts
    await Promise.resolve()
    while (this.#waiting.size > 0) {
      const reached = [...this.#waiting].map(([device, pos]) => ({ device, pos }))
      this.#waiting.clear()
      await store.notePushed(reached).catch((error: unknown) => logFault(error, { what: 'pushes not noted', log }))
    }
    this.#writing = undefined
  }
}
