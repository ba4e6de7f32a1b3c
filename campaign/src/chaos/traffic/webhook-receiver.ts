// The program behind the bot with a webhook: accepts updates, fails occasionally in every possible way, and is away.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { SeededRandom } from '@postern/testkit'
import type { Attempt } from '../check/check-attempts.ts'
import type { ToldUpdate } from '../check/check-updates.ts'

type Surroundings = { random: SeededRandom; take: (update: ToldUpdate) => void; lifeOfSender: () => number }

export class WebhookReceiver {
  readonly #server: Server
  readonly #surroundings: Surroundings
  readonly #used = new WeakSet<Socket>()
  readonly updates: ToldUpdate[] = []
  readonly attempts: Attempt[] = []
  isAway = false
  /** From now on it only accepts. */
  isSteady = false

  private constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings
    this.#server = createServer((request, response) => {
      const pieces: Buffer[] = []
      request.on('error', () => undefined)
      request.on('data', (piece: Buffer) => pieces.push(piece))
      request.on('end', () =>
        this.#take(JSON.parse(Buffer.concat(pieces).toString()) as ToldUpdate, { request, response }),
      )
    })
  }

  static async start(port: number, surroundings: Surroundings): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver(surroundings)
    receiver.#server.listen(port, '127.0.0.1')
    await once(receiver.#server, 'listening')
    return receiver
  }

  async stop(): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
    await once(this.#server, 'close')
  }

  /** A known update is accepted without acting on it again: the sender may have missed the first answer. */
  #take(update: ToldUpdate, { request, response }: { request: IncomingMessage; response: ServerResponse }): void {
    const { random, take, lifeOfSender } = this.#surroundings
    const attempt: Attempt = { update: update.id, atMs: performance.now(), life: lifeOfSender() }
    this.attempts.push(attempt)
    const isKept = this.#used.has(request.socket)
    this.#used.add(request.socket)
    const chance = this.isSteady ? 1 : random.next()
    const fail = (how: string) => Object.assign(attempt, { failedAtMs: performance.now(), how })
    if (this.isAway || (chance < 0.04 && isKept)) {
      fail(isKept ? 'reset a kept connection' : 'reset the connection')
      request.socket.resetAndDestroy()
      return
    }
    if (chance < 0.06) {
      fail('answered 500')
      response.writeHead(500).end('{}')
      return
    }
    this.updates.push(update)
    take(update)
    response.writeHead(200).end('{}')
  }
}
