// The person's side of the echo: texts out, the same texts back, and the time between.

/** A way to the bot and back. */
export type Line = {
  /** Resolves when the relay has it. */
  send(text: string): Promise<unknown>
  onText(listener: (text: string) => void): void
}

export type Wanted = { count: number; atOnce: number }

export class RoundTrips {
  readonly #line: Line
  readonly #waiting = new Map<string, () => void>()
  #count = 0

  constructor(line: Line) {
    this.#line = line
    line.onText(text => {
      const echoed = this.#waiting.get(text)
      this.#waiting.delete(text)
      echoed?.()
    })
  }

  /** The time of each in ms. */
  async run({ count, atOnce }: Wanted): Promise<number[]> {
    const timesMs: number[] = []
    let left = count
    const worker = async () => {
      while (left-- > 0) {
        const startedMs = performance.now()
        await this.#one()
        timesMs.push(performance.now() - startedMs)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, worker))
    return timesMs
  }

  async #one(): Promise<void> {
    const text = `round trip ${++this.#count}: a text of about a hundred bytes, as people write them to a bot every day`
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.set(text, resolve)
    await Promise.all([this.#line.send(text), promise])
  }
}
