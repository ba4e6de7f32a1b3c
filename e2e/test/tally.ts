// Counts events, and resolves when a number of further ones has happened: a test waits for that, and not for time.
import { Notifier } from '@postern/protocol'

export class Tally {
  readonly #notifier = new Notifier()
  #count = 0

  add(): void {
    this.#count += 1
    this.#notifier.notify()
  }

  async more(count: number): Promise<void> {
    const until = this.#count + count
    while (this.#count < until) await this.#notifier.next()
  }
}
