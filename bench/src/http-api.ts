// An operator's client over one kept connection.
import { Agent, request } from 'node:http'

export class HttpApi {
  readonly #url: string
  readonly #token: string
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })

  constructor({ url, token = '' }: { url: string; token?: string }) {
    this.#url = url
    this.#token = token
  }

  /** The answer's text; rejects when it is not a 200. */
  call(method: 'GET' | 'POST', path: string, body?: unknown): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const headers = { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' }
    const sent = request(new URL(path, this.#url), { method, agent: this.#agent, headers }, answer => {
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => parts.push(part))
      answer.on('end', () => {
        const text = Buffer.concat(parts).toString()
        if (answer.statusCode === 200) resolve(text)
        else reject(new Error(`${method} ${path}: ${answer.statusCode} ${text}`))
      })
      answer.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
    return promise
  }

  close(): void {
    this.#agent.destroy()
  }
}
