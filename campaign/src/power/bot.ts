// The operator's side of the gateway: calls that are retried until they are answered, and the updates in order.
import { setTimeout as pause } from 'node:timers/promises'

const RETRY_MS = 50
const CALL_WITHIN_MS = 30_000
/** A gateway without an answer for this long has stopped working. */
const HEARD_WITHIN_MS = 120_000

export type Update = { id: number; type: string; message?: { id: string }; notice?: { code: string } }
type Call = { method: string; path: string; body?: object | FormData | string; key?: string; isOpen?: boolean }

export class Bot {
  readonly #url: string
  readonly #token: string
  /** By their ids, as they were first shown. */
  readonly updates = new Map<number, Update>()
  readonly faults: string[] = []
  #offset = 0
  #highest = 0
  #isStopped = false
  isIdle = false

  constructor({ url, token }: { url: string; token: string }) {
    this.#url = url
    this.#token = token
  }

  async me(): Promise<{ id: string; invite_url: string; about: string }> {
    return await this.untilHeard({ method: 'GET', path: '/v1/me' })
  }

  async shown(chats: string[]): Promise<void> {
    for (;;) {
      const known = await this.untilHeard<{ id: string }[]>({ method: 'GET', path: '/v1/chats' })
      if (chats.every(chat => known.some(({ id }) => id === chat))) return
      await pause(RETRY_MS)
    }
  }

  async newest(chat: string): Promise<{ id: string; text?: string }[]> {
    return await this.untilHeard({ method: 'GET', path: `/v1/chats/${chat}/messages?limit=100` })
  }

  /** Retried like a sender that receives no answer. Throws when it is refused. */
  async untilHeard<Answer>(call: Call): Promise<Answer> {
    const endMs = Date.now() + HEARD_WITHIN_MS
    for (;;) {
      const answer = await this.ask(call)
      if (answer && answer.status < 300) return answer.body as Answer
      if (answer && answer.status < 500)
        throw new Error(`${call.method} ${call.path} was answered ${answer.status} ${JSON.stringify(answer.body)}`)
      if (answer?.status === 500) this.faults.push(`500 to ${call.method} ${call.path}`)
      if (Date.now() > endMs) throw new Error(`${call.method} ${call.path} was not heard: ${JSON.stringify(answer)}`)
      await pause(RETRY_MS)
    }
  }

  /** Undefined when no answer came. */
  async ask(call: Call): Promise<{ status: number; body: unknown } | undefined> {
    const { method, path, body, key, isOpen } = call
    const isJson = typeof body === 'object' && !(body instanceof FormData)
    try {
      const answer = await fetch(this.#url + path, {
        method,
        headers: {
          ...(!isOpen && { authorization: `Bearer ${this.#token}` }),
          ...(isJson && { 'content-type': 'application/json' }),
          ...(typeof body === 'string' && { 'content-type': 'text/plain' }),
          ...(key !== undefined && { 'idempotency-key': key }),
        },
        ...(body !== undefined && { body: isJson ? JSON.stringify(body) : body }),
        signal: AbortSignal.timeout(CALL_WITHIN_MS),
      })
      return { status: answer.status, body: await answer.json() }
    } catch {
      return undefined
    }
  }

  async fileOf(chat: string, message: string): Promise<string> {
    const answer = await fetch(`${this.#url}/v1/chats/${chat}/messages/${message}/file`, {
      headers: { authorization: `Bearer ${this.#token}` },
    })
    return answer.ok ? await answer.text() : `${answer.status} ${await answer.text()}`
  }

  stop(): void {
    this.#isStopped = true
  }

  async readUpdates(): Promise<void> {
    while (!this.#isStopped) {
      const answer = await this.ask({ method: 'GET', path: `/v1/updates?offset=${this.#offset}&timeout=1&limit=20` })
      const updates = answer?.status === 200 ? (answer.body as Update[]) : undefined
      this.isIdle = updates?.length === 0
      for (const update of updates ?? []) this.#take(update)
      if (!updates) await pause(RETRY_MS)
    }
  }

  #take(update: Update): void {
    const before = this.updates.get(update.id)
    if (before && JSON.stringify(before) !== JSON.stringify(update))
      this.faults.push(`the update ${update.id} has come with two contents`)
    if (!before && update.id < this.#highest)
      this.faults.push(`the update ${update.id} came for the first time after a later one`)
    this.#highest = Math.max(this.#highest, update.id)
    this.updates.set(update.id, before ?? update)
    this.#offset = update.id + 1
  }
}
