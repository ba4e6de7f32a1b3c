// One connection to one relay: a call on it is answered in time, or the connection is dropped.
import { CodedError } from '@postern/protocol'
import type { CallAnswer } from '@postern/protocol/relay'
import { type BarePerson, TestClient } from '@postern/testkit/bare-client'
import { relayTraffic } from './pace.ts'

/** `number`: counted over all connections of a person. */
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

  /** Rejects immediately when its connection is lost. */
  async inTime<Answer>(answer: Promise<Answer>): Promise<Answer> {
    const timer = setTimeout(() => this.client.socket.terminate(), relayTraffic.answerWithinMs)
    try {
      return await answer
    } finally {
      clearTimeout(timer)
    }
  }

  /** Numbers everything that is sent on it. */
  nextPlace(): number {
    return this.#sent++
  }

  /** Its owner has another one, and uses that. It stays open until the relay notices. */
  leave(): void {
    this.#left.resolve()
  }

  /** Resolves when nothing more can be expected of it. */
  get over(): Promise<unknown> {
    return Promise.race([this.#left.promise, this.client.closed])
  }

  end(): void {
    this.client.socket.terminate()
  }
}

/** Answers of a relay that decide nothing: the same is sent or asked again. */
const undecided = new Set<string>([
  'unavailable',
  'unauthenticated',
  'stopping',
  'internal',
  'storage-full',
  'storage-failed',
])

/** The relay's permanent refusal; undefined when the outcome is unknown. */
export const refusalOf = (error: unknown): string | undefined =>
  error instanceof CodedError && !undecided.has(error.code) ? error.code : undefined

/** A relay with too many logins tells a client when to come back. */
export function untilNextDialMs(error: unknown): number {
  const retryAtMs = error instanceof CodedError ? error.details['retryAtMs'] : undefined
  return Math.max(relayTraffic.dialAgainMs, typeof retryAtMs === 'number' ? retryAtMs - Date.now() : 0)
}
