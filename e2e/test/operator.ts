// A bot's program as an operator writes it: it uses the HTTP API alone, answers texts, and keeps a book of its updates.
import { setTimeout as pause } from 'node:timers/promises'
import type { SeededRandom } from '@postern/testkit/random'
import { expect } from 'vitest'
import { Tally } from './tally.ts'

/** It has more fields than these, depending on its type. */
export type Update = {
  id: number
  type: string
  chat_id: string
  message?: { id: string; text?: string }
  button?: { message_id: string; from: { id: string }; data: string; press_id: string }
  reaction?: { message_id: string; from: { id: string }; emoji: string }
}
type Surroundings = {
  random: SeededRandom
  wantsEcho: (text: string) => boolean
  /** Called once for each update. */
  onUpdate?: (update: Update) => void
}

const POLL_SEC = 2
const RETRY_MS = 30
const TRIES_MAX = 3

export class EchoOperator {
  readonly #api: { url: string; token: string }
  readonly #surroundings: Surroundings
  /** Every update that was ever shown, under its id. */
  readonly updates = new Map<number, Update>()
  /** Ids of the messages for which the gateway answered 2xx. */
  readonly acknowledged: string[] = []
  readonly #acknowledging = new Tally()
  #tries = 0
  #offset = 0
  #stopped = false
  #isIdle = false

  constructor(api: { url: string; token: string }, surroundings: Surroundings) {
    this.#api = api
    this.#surroundings = surroundings
  }

  stop(): void {
    this.#stopped = true
  }

  /** The last poll ended with nothing to do. */
  get isIdle(): boolean {
    return this.#isIdle
  }

  /** Resolves once the gateway has acknowledged a message. */
  async hasAcknowledged(): Promise<void> {
    if (this.acknowledged.length === 0) await this.#acknowledging.more(1)
  }

  async run(): Promise<void> {
    while (!this.#stopped) {
      // A restarted program remembers nothing: unconfirmed updates come again.
      if (this.#surroundings.random.next() < 0.05) this.#offset = 0
      const updates = await this.#poll()
      this.#isIdle = updates?.length === 0
      if (!updates) await pause(RETRY_MS)
      for (const update of updates ?? []) await this.#take(update)
    }
  }

  async #poll(): Promise<Update[] | undefined> {
    const answer = await this.#call(`/v1/updates?offset=${this.#offset}&timeout=${POLL_SEC}&limit=20`)
    if (!answer?.ok) return undefined
    const updates = (await answer.json().catch(() => undefined)) as Update[] | undefined
    const ids = updates?.map(update => update.id) ?? []
    expect(ids, 'ids rise within an answer').toEqual([...new Set(ids)].toSorted((a, b) => a - b))
    if (ids[0] !== undefined)
      expect(ids[0], 'what was confirmed is not shown again').toBeGreaterThanOrEqual(this.#offset)
    return updates
  }

  async #take(update: Update): Promise<void> {
    const before = this.updates.get(update.id)
    if (before) expect([before, withoutWords(before)], 'one id, one content').toContainEqual(update)
    else expect(update.id, 'a new update is above all others').toBeGreaterThan(Math.max(0, ...this.updates.keys()))
    this.updates.set(update.id, before ?? update)
    if (!before) this.#surroundings.onUpdate?.(update)
    const text = update.message?.text
    if (!before && text !== undefined && this.#surroundings.wantsEcho(text)) await this.#echo(update.chat_id, text)
    this.#offset = update.id + 1
  }

  /** Every try has another text: an abandoned one may have been sent after all. */
  async #echo(chat: string, text: string): Promise<void> {
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const body = JSON.stringify({ text: `echo ${++this.#tries} of ${text}` })
      const answer = await this.#call(`/v1/chats/${chat}/messages`, { method: 'POST', body })
      const message = answer?.ok ? ((await answer.json().catch(() => undefined)) as { id: string }) : undefined
      if (message) {
        this.acknowledged.push(message.id)
        return this.#acknowledging.add()
      }
      await pause(RETRY_MS)
    }
  }

  async #call(path: string, init: RequestInit = {}): Promise<Response | undefined> {
    const headers = { authorization: `Bearer ${this.#api.token}`, 'content-type': 'application/json' }
    return await fetch(`${this.#api.url}${path}`, { ...init, headers }).catch(() => undefined)
  }
}

/** An update of a message that has been deleted or has disappeared since. */
function withoutWords({ message, button, reaction, ...update }: Update): Update {
  return {
    ...update,
    ...(message && { message: whoWhereAndWhen(message) }),
    ...(button && { button: { ...button, data: '' } }),
    ...(reaction && { reaction: { ...reaction, emoji: '' } }),
  }
}

function whoWhereAndWhen(message: NonNullable<Update['message']>): { id: string } {
  const { id, chat_id, from, ts } = message as { id: string } & Record<string, unknown>
  return { id, chat_id, from, ts } as { id: string }
}
