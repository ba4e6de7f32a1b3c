// The parameters of a request. They come as JSON, or as texts of a query or a form, which may contain JSON.
import { badRequest } from './telegram-error.ts'

export class Parameters {
  readonly #values: ReadonlyMap<string, unknown>

  constructor(values: object) {
    this.#values = new Map(Object.entries(values).filter(([, value]) => value !== null && value !== undefined))
  }

  has(name: string): boolean {
    return this.#values.has(name)
  }

  entries(): IterableIterator<[string, unknown]> {
    return this.#values.entries()
  }

  /** Numbers count as texts: some libraries do not convert them. */
  text(name: string): string | undefined {
    const value = this.#values.get(name)
    if (value === undefined || typeof value === 'string') return value
    if (typeof value === 'number') return String(value)
    throw badRequest(`${name} must be a string`)
  }

  need(name: string): string {
    const text = this.text(name)
    if (text === undefined || text === '') throw badRequest(`${name} is empty`)
    return text
  }

  integer(name: string): number | undefined {
    const text = this.text(name)?.trim()
    if (text === undefined || text === '') return undefined
    if (!/^-?\d{1,16}$/.test(text) || !Number.isSafeInteger(Number(text)))
      throw badRequest(`${name} must be an integer`)
    return Number(text)
  }

  needInteger(name: string): number {
    const value = this.integer(name)
    if (value === undefined) throw badRequest(`${name} is not specified`)
    return value
  }

  flag(name: string): boolean {
    const value = this.#values.get(name)
    if (value === undefined || value === '') return false
    if (typeof value === 'boolean') return value
    const text = String(this.text(name)).toLowerCase()
    if (['true', '1', 'yes'].includes(text)) return true
    if (['false', '0', 'no'].includes(text)) return false
    throw badRequest(`${name} must be true or false`)
  }

  object(name: string): Parameters | undefined {
    const value = this.#json(name)
    if (value === undefined) return undefined
    if (!isObject(value)) throw badRequest(`${name} must be a JSON object`)
    return new Parameters(value)
  }

  list(name: string): unknown[] | undefined {
    const value = this.#json(name)
    if (value === undefined) return undefined
    if (!Array.isArray(value)) throw badRequest(`${name} must be a JSON array`)
    return value as unknown[]
  }

  /** Each entry is an object. */
  objects(name: string): Parameters[] | undefined {
    return this.list(name)?.map((value, at) => {
      if (!isObject(value)) throw badRequest(`${name}[${at}] must be a JSON object`)
      return new Parameters(value)
    })
  }

  #json(name: string): unknown {
    const value = this.#values.get(name)
    if (typeof value !== 'string') return value
    if (value === '') return undefined
    try {
      return JSON.parse(value) ?? undefined
    } catch {
      throw badRequest(`can't parse ${name} as JSON`)
    }
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
