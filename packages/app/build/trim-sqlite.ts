// Leaves out parts of SQLite's script that this app never runs: other threads, virtual tables in JavaScript, another
// file system.
import type { Plugin } from 'vite'

const SCRIPT = /sqlite3-bundler-friendly\.mjs$/
/** Its other entry point also includes a client for a SQLite that runs in a separate thread. */
const DOOR = /@evolu\/sqlite-wasm\/index\.mjs$/

/** Each part begins and ends at the same depth; its content identifies it. */
const PART = /\n {6}globalThis\.sqlite3ApiBootstrap\.initializers\.push\(function \(sqlite3\) \{\n.*?\n {6}\}\);\n/gs
const unused = ['sqlite3.initWorker1API = function', 'sqlite3.vtab = vtab;', 'const installOpfsVfs = function']

/** The same functions are read from the WebAssembly itself. */
const SECOND_NAME = /\n +Module\['_sqlite3\w+'\] = _sqlite3\w+ =\s+wasmExports\['sqlite3\w+'\];/g

/** Fails the build when SQLite's script has changed its form: nothing must be left out by guessing. */
export function trimSqlite(): Plugin {
  return {
    name: 'postern-trim-sqlite',
    transform(code, id) {
      if (DOOR.test(id)) return "export { default } from './sqlite-wasm/jswasm/sqlite3-bundler-friendly.mjs'"
      if (!SCRIPT.test(id)) return undefined
      return { code: withoutUnused(code).replaceAll(SECOND_NAME, ''), map: null }
    },
  }
}

function withoutUnused(code: string): string {
  const found = new Set<string>()
  const trimmed = code.replaceAll(PART, part => {
    const sign = unused.find(each => part.includes(each))
    if (!sign) return part
    found.add(sign)
    return ''
  })
  if (found.size !== unused.length) throw new Error('SQLite’s script has other parts than those that are left out')
  return trimmed
}
