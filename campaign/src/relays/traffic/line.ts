// One connection to one relay: what is asked on it is answered in time, or it is given up.
import { CodedError } from '@postern/protocol'
import type { CallAnswer } from '@postern/protocol/relay'
import { type BarePerson, TestClient } from '@postern/testkit/bare-client'
import { relayTraffic } from './pace.ts'

/** `number`: counted over all of somebody's connections. */
type Dialled = { url: string; person: BarePerson; number: number }

export class Line {
  readonly client: TestClient
  readonly number: number
  readonly #left = Promise.withResolvers<void>()
  #sent = 0

  private constructor(url: string, number: number) {
    this.client = new TestClient(url)
    this.number = number
  }

  /** Logged in; throws when there is no relay, or none that answers. */
  static async dial(
    { url, person, number }: Dialled,
    intent: 'login' | 'register' = 'login',
  ): Promise<{ line: Line; session: CallAnswer<'authenticate'> }> {
    const line = new Line(url, number)
    try {
      return { line, session: await line.inTime(line.client.authenticate(person, intent)) }
    } catch (error) {
      line.end()
      throw error
    }
  }

  /** Rejects at once when its connection is lost. */
  async inTime<Answer>(answer: Promise<Answer>): Promise<Answer> {
    const timer = setTimeout(() => this.client.socket.terminate(), relayTraffic.answerWithinMs)
    try {
      return await answer
    } finally {
      clearTimeout(timer)
    }
  }

  /** Of everything that is sent on it, in turn. */
  nextPlace(): number {
    return this.#sent++
  }

  /** Its owner has another one, and asks there. It stays open until the relay finds out. */
  leave(): void {
    this.#left.resolve()
  }

  /** Resolves when nothing more is to be expected of it. */
  get over(): Promise<unknown> {
    return Promise.race([this.#left.promise, this.client.closed])
  }

  end(): void {
    this.client.socket.terminate()
  }
}

/** What a relay says when it can say nothing: the same is sent or asked again. */
const undecided = new Set<string>(['unavailable', 'unauthenticated', 'stopping', 'internal'])

/** The relay has refused it for good; undefined when nobody knows. */
export const refusalOf = (error: unknown): string | undefined =>
  error instanceof CodedError && !undecided.has(error.code) ? error.code : undefined
