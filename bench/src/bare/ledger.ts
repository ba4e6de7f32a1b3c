// The minimum cost of durability: the data of one turn is appended to a file, which is then synced. Or nothing at all.
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'

export class Ledger {
  readonly #file: number | undefined
  #records: string[] = []
  #written: PromiseWithResolvers<void> | undefined

  /** Without a path nothing is stored, at no cost. */
  constructor(path: string | undefined) {
    this.#file = path === undefined ? undefined : openSync(path, 'a')
  }

  async keep(record: string): Promise<void> {
    if (this.#file === undefined) return
    this.#records.push(record)
    if (!this.#written) {
      this.#written = Promise.withResolvers()
      setImmediate(() => this.#sync(this.#file as number))
    }
    await this.#written.promise
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
  }

  #sync(file: number): void {
    const written = this.#written
    this.#written = undefined
    writeSync(file, this.#records.join('\n'))
    this.#records = []
    fdatasyncSync(file)
    written?.resolve()
  }
}
