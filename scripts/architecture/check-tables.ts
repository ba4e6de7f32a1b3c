// Finds SQL that reads or writes a table of another folder, by the strings and templates of the source.
import type { ImportGraph, Module } from './import-graph.ts'
import { filledIn, type Mention } from './read-module.ts'
import { type Guest, nameFilledIn, type TableLaw } from './tables.ts'

interface Access {
  readonly table: string
  readonly does: Guest['does']
  readonly path: string
  readonly line: number
}

const name = `["\`]?([\\w${filledIn}]+)["\`]?`
const written = String.raw`\b(?:INSERT(?:\s+OR\s+\w+)?\s+INTO|REPLACE\s+INTO|DELETE\s+FROM|UPDATE(?:\s+OR\s+\w+)?)\s+(?!SET\b)${name}`
/**
 * `FROM a, b AS c JOIN d`: the table after each word, and those after commas, which are not consumed: the next JOIN
 * follows there.
 */
const read = String.raw`(?<!DELETE\s+)\b(?:FROM|JOIN)\s+${name}(?=((?:(?:\s+AS)?\s+\w+)?(?:\s*,\s*\w+(?:(?:\s+AS)?\s+\w+)?)*))`
const wholeStatement = /^\s*(SELECT\s[^]*\sFROM|(INSERT|REPLACE)\s[^]*INTO|UPDATE\s[^]*\sSET|DELETE\s+FROM)\s/i

const tablesIn = ({ text }: Mention): Pick<Access, 'table' | 'does'>[] => {
  // A part of a statement is recognized by its capitals: "from" occurs in many texts that are not SQL.
  const flags = wholeStatement.test(text) ? 'gi' : 'g'
  const writes = [...text.matchAll(new RegExp(written, flags))].map(([, table = '']) => table)
  const reads = [...text.matchAll(new RegExp(read, flags))].flatMap(([, table = '', more = '']) => [
    table,
    ...[...more.matchAll(/,\s*(\w+)/g)].map(([, next = '']) => next),
  ])
  return [
    ...writes.map(table => ({ table, does: 'writes' as const })),
    ...reads.map(table => ({ table, does: 'reads' as const })),
  ]
}

const createdIn = (module: Module | undefined): string[] =>
  (module?.texts ?? []).flatMap(({ text }) =>
    [...text.matchAll(/\bCREATE TABLE (?:IF NOT EXISTS )?(\w+)/g)].map(([, table = '']) => table),
  )

const ownerOf = ({ owners }: TableLaw, table: string): string | undefined =>
  Object.keys(owners).find(owner => owners[owner]?.includes(table))

const accessesIn = ({ modules }: ImportGraph, law: TableLaw): Access[] =>
  [...modules.values()]
    .filter(({ path }) => path.startsWith(`${law.source}/`) && !law.migrations.includes(path))
    .flatMap(({ path, texts }) =>
      texts.flatMap(mention =>
        tablesIn(mention).map(({ table, does }) => ({
          table: table.includes(filledIn) ? nameFilledIn : table,
          does,
          path: path.slice(law.source.length + 1),
          line: mention.line,
        })),
      ),
    )
    // Names that a statement defines itself, and SQLite's own tables, are left out.
    .filter(({ table }) => table === nameFilledIn || ownerOf(law, table) !== undefined)

const isIn = (path: string, owner: string): boolean => path === owner || path.startsWith(`${owner}/`)

/** A guest that may write may also read. */
const isAllowed = (guest: Guest, { table, does, path }: Access): boolean =>
  guest.table === table && isIn(path, guest.by) && (guest.does === 'writes' || does === 'reads')

const list = 'scripts/architecture/tables.ts'

const listProblems = ({ owners, source }: TableLaw, created: readonly string[]): string[] => {
  const listed = Object.values(owners).flat()
  return [
    ...created
      .filter(table => !listed.includes(table))
      .map(table => `table-owners: ${table} of ${source} has no owner in ${list}.`),
    ...listed
      .filter(table => !created.includes(table))
      .map(table => `table-owners: ${table} has an owner in ${list}, and ${source} makes no such table.`),
    ...listed
      .filter((table, at) => listed.indexOf(table) !== at)
      .map(table => `table-owners: ${table} has two owners in ${list}.`),
  ]
}

const describe = (law: TableLaw, { table, does, path, line }: Access): string => {
  const hint =
    table === nameFilledIn
      ? 'Write the name out: whose table it is cannot be checked.'
      : `The table belongs to ${law.source}/${ownerOf(law, table)}: call a function there.`
  return `table-owners: ${law.source}/${path}:${line} ${does} ${table}\n  ${hint}`
}

export const checkTables = (graph: ImportGraph, law: TableLaw): string[] => {
  const abroad = accessesIn(graph, law).filter(({ table, path }) => !isIn(path, ownerOf(law, table) ?? nameFilledIn))
  return [
    ...listProblems(
      law,
      law.migrations.flatMap(path => createdIn(graph.modules.get(path))),
    ),
    ...abroad
      .filter(access => !law.guests.some(guest => isAllowed(guest, access)))
      .map(access => describe(law, access)),
    ...law.guests
      .filter(guest => !abroad.some(access => access.does === guest.does && isAllowed(guest, access)))
      .map(
        ({ table, does, by }) =>
          `table-owners: ${law.source}/${by} no longer ${does} ${table}: take it out of ${list}.`,
      ),
  ]
}
