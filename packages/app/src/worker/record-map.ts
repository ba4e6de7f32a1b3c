// A shelf of core's records as a map in memory: read once, and every change is written through.
import type { Records } from '@postern/core'

export class RecordMap<Value> {
  readonly #records: Pick<Records, 'all' | 'change' | 'changeSoon'>
  readonly #values = new Map<string, Value>()
  readonly #onChange: () => void

  /** `read` returns undefined for a value of an older or a newer version: it is ignored. */
  constructor(
    records: Pick<Records, 'all' | 'change' | 'changeSoon'>,
    { read, onChange }: { read: (value: unknown) => Value | undefined; onChange: () => void },
  ) {
    this.#records = records
    this.#onChange = onChange
    for (const { key, value } of records.all()) {
      const known = read(parse(value))
      if (known !== undefined) this.#values.set(key, known)
    }
  }

  get(key: string): Value | undefined {
    return this.#values.get(key)
  }

  entries(): [string, Value][] {
    return [...this.#values]
  }

  /** Visible immediately; durable when it resolves. */
  async put(key: string, value: Value): Promise<void> {
    this.#set(key, value)
    await this.#records.change({ key, put: JSON.stringify(value) })
  }

  /** Like `put`, but a power failure may undo it. */
  async putSoon(key: string, value: Value): Promise<void> {
    this.#set(key, value)
    await this.#records.changeSoon({ key, put: JSON.stringify(value) })
  }

  async remove(key: string): Promise<void> {
    if (!this.#values.delete(key)) return
    this.#onChange()
    await this.#records.changeSoon({ key, remove: true })
  }

  #set(key: string, value: Value): void {
    this.#values.set(key, value)
    this.#onChange()
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Undefined for an invalid value. */
export function lenient<T>(read: (value: unknown) => T): (value: unknown) => T | undefined {
  return value => {
    try {
      return read(value)
    } catch {
      return undefined
    }
  }
}
