// Leaves the comments and the indentation of the database's tables out of the worker: they are for readers of the source.
import type { Plugin } from 'vite'

const STEPS = /core\/src\/storage\/(migrations|first-\w+-tables)\.ts$/
const TEMPLATE = /`[^`]*`/g

export function trimSql(): Plugin {
  return {
    name: 'postern-trim-sql',
    enforce: 'pre',
    transform(code, id) {
      if (!STEPS.test(id)) return undefined
      return { code: code.replaceAll(TEMPLATE, trimmed), map: null }
    },
  }
}

/** Fails the build if a string in the SQL spans several lines, or a comment follows a statement. */
function trimmed(sql: string): string {
  const bare = sql.replaceAll(/^\s*--.*$/gm, '')
  const code = bare.replaceAll(/'[^'\n]*'/g, '')
  if (/--|'/.test(code)) throw new Error('a step of the database has a comment or a text that cannot be left out')
  return bare.replaceAll(/\s+/g, ' ')
}
