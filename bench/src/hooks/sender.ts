// Posts to hooks, and sends over the API, by the number of the chat.
import { Agent, request } from 'node:http'
import type { HookBot } from './hook-bot.ts'

export class Sender {
  readonly #bot: HookBot
  readonly #agent: Agent
  #posts = 0

  constructor(bot: HookBot, { connections }: { connections: number }) {
    this.#bot = bot
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections })
  }

  /** Each post is a separate group: none counts as a repeat. */
  async post(chat: number): Promise<void> {
    this.#posts += 1
    await this.#ask(`/hooks/${this.#bot.secrets[chat]}`, {
      version: '4',
      status: 'firing',
      groupKey: `{}:{alertname="Load ${this.#posts}"}`,
      commonLabels: { alertname: 'Load' },
      alerts: [
        {
          status: 'firing',
          labels: { alertname: 'Load', severity: 'warning', instance: 'node-01.example.test:9100' },
          annotations: { summary: 'The load of node-01 has been high for ten minutes' },
          fingerprint: String(this.#posts),
        },
      ],
    })
  }

  async send(chat: number): Promise<void> {
    const text =
      'A text of about a hundred and thirty bytes, which is about as long as what a hook makes out of one single alert, more or less.'
    await this.#ask(`/v1/chats/${this.#bot.chats[chat]}/messages`, { text })
  }

  close(): void {
    this.#agent.destroy()
  }

  #ask(path: string, json: object): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const headers = { authorization: `Bearer ${this.#bot.token}`, 'content-type': 'application/json' }
    const sent = request(new URL(path, this.#bot.url), { method: 'POST', agent: this.#agent, headers }, answer => {
      answer.resume()
      answer.on('end', () => (answer.statusCode === 200 ? resolve() : reject(new Error(`${answer.statusCode}`))))
    })
    sent.on('error', reject)
    sent.end(JSON.stringify(json))
    return promise
  }
}
