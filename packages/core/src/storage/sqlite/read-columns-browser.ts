// Reads values out of SQLite's memory. Its own API checks and converts each one several times, which is most of the
// time of reading a page.
import type { PreparedStatement, Sqlite3Static } from '@evolu/sqlite-wasm'

/** The functions as compiled: plain numbers in, plain numbers out. */
type Columns = {
  sqlite3_column_type(statement: number, at: number): number
  sqlite3_column_double(statement: number, at: number): number
  sqlite3_column_int64(statement: number, at: number): bigint
  sqlite3_column_text(statement: number, at: number): number
  sqlite3_column_blob(statement: number, at: number): number
  sqlite3_column_bytes(statement: number, at: number): number
}

export type RowReader = (statement: PreparedStatement, names: readonly string[]) => Record<string, unknown>

/** Reads the row to which the statement was stepped. An integer that a double cannot hold becomes a BigInt. */
export function rowReader({ capi, wasm }: Sqlite3Static): RowReader {
  const columns = wasm.exports as Columns
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  // Called after the address is known: obtaining the address may have grown the memory.
  const bytesAt = (address: number, count: number) => wasm.heap8u().subarray(address, address + count)
  const wholeNumber = (statement: number, at: number): number | bigint => {
    const value = columns.sqlite3_column_double(statement, at)
    return Number.isSafeInteger(value) ? value : columns.sqlite3_column_int64(statement, at)
  }
  const valueOf = (statement: number, at: number): unknown => {
    switch (columns.sqlite3_column_type(statement, at)) {
      case capi.SQLITE_INTEGER:
        return wholeNumber(statement, at)
      case capi.SQLITE_FLOAT:
        return columns.sqlite3_column_double(statement, at)
      case capi.SQLITE_TEXT: {
        const address = columns.sqlite3_column_text(statement, at)
        return decoder.decode(bytesAt(address, columns.sqlite3_column_bytes(statement, at)))
      }
      case capi.SQLITE_BLOB: {
        const address = columns.sqlite3_column_blob(statement, at)
        return bytesAt(address, columns.sqlite3_column_bytes(statement, at)).slice()
      }
      default:
        return null
    }
  }
  return ({ pointer }, names) => {
    const statement = Number(pointer)
    const row: Record<string, unknown> = {}
    for (const [at, name] of names.entries()) row[name] = valueOf(statement, at)
    return row
  }
}
