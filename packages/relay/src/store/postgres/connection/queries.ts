// Statements against the database, each prepared once per connection under its own name.
import type { QueryConfig } from 'pg'
import { databaseFault } from './storage-error.ts'

type Runs = { query(config: QueryConfig | string): Promise<{ rows: unknown[]; rowCount: number | null }> }

/** A connection, a pool, or a transaction. Errors are coded. */
export interface Queries {
  rows<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>
  /** The first row, if there is one. */
  one<Row>(text: string, values?: readonly unknown[]): Promise<Row | undefined>
  /** Returns how many rows it changed. */
  run(text: string, values?: readonly unknown[]): Promise<number>
  /** Several statements without results. */
  script(text: string): Promise<void>
}

/** A statement that is sent together with others; `told` receives its rows. */
export type PostgresStatement = { text: string; values: readonly unknown[]; told?: (rows: unknown[]) => void }

const names = new Map<string, string>()

function nameOf(text: string): string {
  const known = names.get(text)
  if (known) return known
  const name = `s${names.size}`
  names.set(text, name)
  return name
}

/** Arrays of numbers as text: the driver would convert each number separately. */
const asSent = (value: unknown): unknown =>
  Array.isArray(value) && value.every(each => typeof each === 'number') ? `{${value.join(',')}}` : value

export function queriesOn(runs: Runs): Queries {
  const query = async (text: string, values: readonly unknown[]) => {
    try {
      return await runs.query({ name: nameOf(text), text, values: values.map(asSent) })
    } catch (error) {
      throw databaseFault(error)
    }
  }
  return {
    rows: async <Row>(text: string, values: readonly unknown[] = []) => (await query(text, values)).rows as Row[],
    one: async <Row>(text: string, values: readonly unknown[] = []) =>
      (await query(text, values)).rows[0] as Row | undefined,
    run: async (text, values = []) => (await query(text, values)).rowCount ?? 0,
    script: async text => {
      await runs.query(text).catch((error: unknown) => {
        throw databaseFault(error)
      })
    },
  }
}
