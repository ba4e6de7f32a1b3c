// The calls of one life of a bot on their way to its gateway. After the end of that life none gets through, and none is
// answered.
import { Deferred } from '@postern/protocol'
import { BotRest } from './bot-rest.ts'
import type { KillPoints } from './kill-points.ts'

export type BotCall = { method: string; path: string; authorization: string | null }
type SendCall = (signal: AbortSignal) => Promise<Response>

/** A killed process does not learn how its calls ended: an error would run its handlers on. */
const never = (): Promise<never> => new Deferred<never>().promise

export class BotCalls {
  readonly #points: KillPoints
  readonly #token: string
  readonly #life = new AbortController()
  readonly #polled = new Deferred()
  readonly #rest = new BotRest()

  constructor({ points, token }: { points: KillPoints; token: string }) {
    this.#points = points
    this.#token = token
  }

  /** Ends when the bot asks for updates for the first time: from then on it runs. Fails if it ends before. */
  async whenPolled(ended: Promise<void>): Promise<void> {
    const early = ended.then(() => {
      throw new Error('the bot ended before it asked for updates')
    })
    this.#polled.settleWith(early)
    await this.#polled.promise
  }

  end(): void {
    this.#life.abort()
  }

  get hasEnded(): boolean {
    return this.#life.signal.aborted
  }

  /** Whether it seems to do nothing but wait for updates. */
  get isAtRest(): boolean {
    return this.#rest.isAtRest
  }

  async pass(call: BotCall, send: SendCall): Promise<Response> {
    // With another token the gateway refuses the poll.
    if (call.path.startsWith('/v1/updates') && call.authorization === `Bearer ${this.#token}`) {
      this.#polled.resolve()
      this.#rest.polls()
    }
    if (call.method === 'GET') return await this.#answerOf(send)
    return await this.#rest.during(() => this.#change(call, send))
  }

  async #change({ method, path }: BotCall, send: SendCall): Promise<Response> {
    const name = `${method} ${path}`
    if (!this.hasEnded) await this.#points.pass(`before ${name}`)
    const answer = await this.#answerOf(send)
    if (!this.hasEnded) await this.#points.pass(`after ${name}`)
    return this.hasEnded ? await never() : answer
  }

  async #answerOf(send: SendCall): Promise<Response> {
    if (this.hasEnded) return await never()
    try {
      const answer = await whole(await send(this.#life.signal))
      return this.hasEnded ? await never() : answer
    } catch (error) {
      if (this.hasEnded) return await never()
      throw error
    }
  }
}

/** A body that the bot read only after the kill would fail in its hands. */
async function whole(answer: Response): Promise<Response> {
  if (!answer.headers.get('content-type')?.startsWith('application/json')) return answer
  const { status, statusText, headers } = answer
  return new Response(await answer.arrayBuffer(), { status, statusText, headers })
}
