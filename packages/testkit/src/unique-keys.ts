// The unique keys of a SQLite database from its own tables: `table (column, column)`, in order.
type Reads = { all<Row>(sql: string, ...values: string[]): Row[] }

export const uniqueKeysOf = (database: Reads): string[] =>
  database
    .all<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .flatMap(({ name }) => [...new Set([primaryKeyOf(database, name), ...indexesOf(database, name)])])
    .filter(key => key !== undefined)
    .toSorted()

function primaryKeyOf(database: Reads, table: string): string | undefined {
  const columns = database.all<{ name: string }>(
    'SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk',
    table,
  )
  return columns.length > 0 ? keyOf(table, columns) : undefined
}

const indexesOf = (database: Reads, table: string): string[] =>
  database
    .all<{ name: string }>('SELECT name FROM pragma_index_list(?) WHERE "unique" = 1', table)
    .map(({ name }) => keyOf(table, database.all<{ name: string }>('SELECT name FROM pragma_index_info(?)', name)))

const keyOf = (table: string, columns: { name: string }[]): string =>
  `${table} (${columns.map(({ name }) => name).join(', ')})`
