// The receiver of a webhook as bots for Telegram have one.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WITHIN } from '@postern/testkit'
import { expect } from 'vitest'
import type { Shown } from './telegram.ts'

export const SOON = { timeout: WITHIN.timeoutMs, interval: 5 }

export type Posted = { headers: IncomingHttpHeaders; update: Shown }
export type Answering = (response: ServerResponse, posted: Posted) => void

export class BotReceiver {
  readonly posts: Posted[] = []
  url = ''
  answer: Answering = response => void response.writeHead(200).end()
  readonly #waits = new Set<() => void>()
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const posted = { headers: request.headers, update: JSON.parse(Buffer.concat(chunks).toString()) as Shown }
      this.posts.push(posted)
      this.answer(response, posted)
      for (const wake of this.#waits) wake()
    })
  })

  async open(): Promise<void> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/bot?of=tests`
  }

  async close(): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
    await once(this.#server, 'close')
  }

  get texts(): string[] {
    return this.posts.map(({ update }) => update['message']?.text as string)
  }

  /** When this many updates were posted. */
  async received(count: number): Promise<void> {
    await expect.poll(() => this.posts.length, SOON).toBeGreaterThanOrEqual(count)
  }
}

export const answerJson =
  (call: object, status = 200): Answering =>
  response =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(call))
