// Programs that post to hooks, and retry as the real ones do: Alertmanager with the same body, GitLab with a key, curl --retry.
import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { SeededRandom } from '@postern/testkit'
import type { Outcome } from '../check/deeds.ts'
import type { Book } from './book.ts'

export type HookAddresses = Record<'text' | 'alerts' | 'pipeline', string>
export type HookSendersOptions = {
  book: Book
  random: SeededRandom
  addresses: HookAddresses
  room: string
  by: string
}

const TRIES_MAX = 12
const ANSWER_WITHIN_MS = 8_000

type Post = { url: string; body: string; headers: Record<string, string>; agent: Agent | false }

export class HookSenders {
  readonly #options: HookSendersOptions
  /** Go keeps its connections; curl opens a new one each time. */
  readonly #kept = new Agent({ keepAlive: true })
  #stopped = false

  constructor(options: HookSendersOptions) {
    this.#options = options
  }

  stop(): void {
    this.#stopped = true
  }

  async run(): Promise<void> {
    await Promise.all([
      this.#loop(() => this.#text()),
      this.#loop(() => this.#alerts()),
      this.#loop(() => this.#pipeline()),
    ])
    this.#kept.destroy()
  }

  async #loop(step: () => Promise<void>): Promise<void> {
    while (!this.#stopped) {
      await step()
      await pause(this.#options.random.below(600))
    }
  }

  async #text(): Promise<void> {
    const { book, addresses, room, by } = this.#options
    const tag = book.nextTag()
    const post = {
      url: addresses.text,
      body: `${tag} of a script`,
      headers: { 'content-type': 'text/plain' },
      agent: false as const,
    }
    await book.say({ kind: 'hook-text', tag, room, by }, () => this.#insist(post))
  }

  /** It fires and is resolved; half of the time a pair of Alertmanagers sends the same. */
  async #alerts(): Promise<void> {
    const { book, addresses, random, room, by } = this.#options
    const tag = book.nextTag()
    const isPair = random.next() < 0.5
    for (const status of ['firing', 'resolved'] as const) {
      const body = JSON.stringify(alertBody(tag, status))
      const post = { url: addresses.alerts, body, headers: { 'content-type': 'application/json' }, agent: this.#kept }
      const deed = status === 'firing' ? tag : `${tag}-over`
      const tried = await book.say({ kind: 'hook-alerts', tag: deed, room, by }, async () => {
        const outcomes = await Promise.all([this.#insist(post), ...(isPair ? [this.#insist(post)] : [])])
        const isWritten = outcomes.some(({ outcome }) => outcome === 'acknowledged')
        return isWritten ? { outcome: 'acknowledged' } : (outcomes[0] ?? { outcome: 'doubtful' })
      })
      if (tried.outcome !== 'acknowledged') return
    }
  }

  async #pipeline(): Promise<void> {
    const { book, addresses, room, by } = this.#options
    const tag = book.nextTag()
    const body = JSON.stringify(pipelineBody(tag))
    const headers = { 'content-type': 'application/json', 'idempotency-key': `run-${tag}` }
    const post = { url: addresses.pipeline, body, headers, agent: false as const }
    await book.say({ kind: 'hook-pipeline', tag, room, by }, () => this.#insist(post))
  }

  /** The same body until the answer is that it is sent, or that it is wrong. */
  async #insist(post: Post): Promise<{ outcome: Outcome }> {
    const { book, random } = this.#options
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const status = await posted(post)
      if (status === 200) return { outcome: 'acknowledged' }
      if (status === 500) book.find({ wrong: 'fault-of-ours', deed: 'hook', what: 'a post to a hook was answered 500' })
      if (status >= 400 && status < 500) {
        book.noteRefusal(`hook: ${status}`)
        return { outcome: 'refused' }
      }
      await pause(200 + random.below(400))
    }
    return { outcome: 'doubtful' }
  }
}

/** 0 when no answer came. */
async function posted({ url, body, headers, agent }: Post): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const length = { 'content-length': String(Buffer.byteLength(body)) }
  const asked = request(url, { method: 'POST', headers: { ...headers, ...length }, agent, timeout: ANSWER_WITHIN_MS })
  asked.on('response', answer => {
    answer.resume()
    answer.on('end', () => resolve(answer.statusCode ?? 0))
    answer.on('close', () => resolve(0))
  })
  asked.on('timeout', () => asked.destroy())
  asked.on('error', () => resolve(0))
  asked.on('close', () => resolve(0))
  asked.end(body)
  return await promise
}

const alertBody = (tag: string, status: 'firing' | 'resolved') => ({
  version: '4',
  status,
  groupKey: `{}:{alertname="${tag}"}`,
  groupLabels: { alertname: tag },
  commonLabels: { alertname: tag },
  alerts: [
    { status, labels: { alertname: tag, severity: 'warning' }, annotations: { summary: 'disk' }, fingerprint: tag },
  ],
})

const pipelineBody = (tag: string) => ({
  object_kind: 'pipeline',
  object_attributes: {
    id: Number(tag.slice(1)),
    status: 'failed',
    ref: tag,
    sha: 'bcbb5ec396a2c0f828686f14fac9b80b780504f2',
  },
  project: { id: 1, path_with_namespace: 'shop/cart', web_url: 'https://git.example.org/shop/cart' },
  user: { name: 'Alice' },
  builds: [],
})
