// The person's side of an answer that carries the time at which the bot received the message: the time until then, and
// until the answer is here.
import { sharedNowMs } from './shared-clock.ts'

/** A text that begins like this is answered with itself and that time. */
export const WHEN = 'when?'

/** Reports every answer: the name of the question, and that time. */
export type Answers = (listener: (name: string, toldAtMs: number) => void) => void
/** Resolves with the name under which it is answered, when the relay has it. */
export type Send = () => Promise<string>

export type Trip = { toldMs: number; backMs: number }
type Answer = { toldAtMs: number; backAtMs: number }

export class TimedTrips {
  readonly #answers = new Map<string, PromiseWithResolvers<Answer>>()

  constructor(onAnswer: Answers) {
    onAnswer((name, toldAtMs) => this.#answerTo(name).resolve({ toldAtMs, backAtMs: sharedNowMs() }))
  }

  async run({ count, atOnce }: { count: number; atOnce: number }, send: Send): Promise<Trip[]> {
    const trips: Trip[] = []
    let left = count
    const worker = async () => {
      while (left-- > 0) trips.push(await this.#one(send))
    }
    await Promise.all(Array.from({ length: atOnce }, worker))
    return trips
  }

  async #one(send: Send): Promise<Trip> {
    const startedMs = sharedNowMs()
    const name = await send()
    const { toldAtMs, backAtMs } = await this.#answerTo(name).promise
    this.#answers.delete(name)
    return { toldMs: toldAtMs - startedMs, backMs: backAtMs - startedMs }
  }

  /** An answer may arrive before the sender knows the name. */
  #answerTo(name: string): PromiseWithResolvers<Answer> {
    const answer = this.#answers.get(name) ?? Promise.withResolvers<Answer>()
    this.#answers.set(name, answer)
    return answer
  }
}
