// Keeps the questions of agents: each change is durable before anybody learns of it.
import type { Records } from '@postern/core'
import { CodedError, mcpLimits, SerialQueue } from '@postern/protocol'
import type { Ask } from './ask.ts'

export class AskStore {
  readonly #records: Records
  readonly #writes = new SerialQueue()
  /** The oldest first. */
  readonly #asks: Map<string, Ask>

  constructor(records: Records) {
    this.#records = records
    const asks = records.all().map(({ value }) => JSON.parse(value) as Ask)
    this.#asks = new Map(asks.toSorted((one, other) => one.askedMs - other.askedMs).map(ask => [ask.id, ask]))
  }

  find(id: string): Ask | undefined {
    return this.#asks.get(id)
  }

  all(): Ask[] {
    return [...this.#asks.values()]
  }

  get openCount(): number {
    return this.all().filter(({ state }) => state.kind === 'open').length
  }

  /** The question that an earlier call with the same key has asked. Throws if that was another question. */
  repeated({ key: wanted, request }: Pick<Ask, 'key' | 'request'>): Ask | undefined {
    const earlier = wanted === undefined ? undefined : this.all().find(({ key }) => key === wanted)
    if (!earlier || earlier.request === request) return earlier
    const rule = `was already used for another question (${earlier.id}); use a new key`
    throw new CodedError('bad-field', { field: 'key', rule })
  }

  /** The question that an earlier call with the same key has asked, or the new one once it is durable. */
  async add(ask: Ask): Promise<Ask> {
    return await this.#writes.run(async () => {
      const earlier = this.repeated(ask)
      if (earlier) return earlier
      const { asksOpenMax } = mcpLimits
      if (this.openCount >= asksOpenMax)
        throw new CodedError('rate-limited', { what: `${asksOpenMax} questions are waiting for an answer` })
      await this.#put(ask)
      return ask
    })
  }

  /** One after the other: the first of two answers counts. `change` returns the same object to change nothing. */
  async change(id: string, change: (ask: Ask) => Ask): Promise<Ask | undefined> {
    return await this.#writes.run(async () => {
      const before = this.#asks.get(id)
      if (!before) return undefined
      const after = change(before)
      if (after !== before) await this.#put(after)
      return after
    })
  }

  async remove(...ids: string[]): Promise<void> {
    if (ids.length === 0) return
    await this.#writes.run(async () => {
      await this.#records.change(...ids.map(key => ({ key, remove: true as const })))
      for (const id of ids) this.#asks.delete(id)
    })
  }

  async #put(ask: Ask): Promise<void> {
    await this.#records.change({ key: ask.id, put: JSON.stringify(ask) })
    this.#asks.set(ask.id, ask)
  }
}
