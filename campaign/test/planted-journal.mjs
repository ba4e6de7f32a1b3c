// A fault in the product, for tests of the checker: a client that loses or doubles entries of its journal. The query of
// its address names the `pattern` that each kind of event follows, and the `log` of the changes to each event.
import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const asked = new URL(import.meta.url).searchParams
const pattern = (asked.get('pattern') ?? '').split(',')
const log = asked.get('log') ?? ''
const counts = new Map()

/** Notices of one chat are of several kinds. */
const kindOf = ({ type, notice }) => (notice ? `${type} ${notice.code}` : type)

globalThis.plantedTelling = event => {
  const kind = kindOf(event)
  const count = counts.get(kind) ?? 0
  counts.set(kind, count + 1)
  const done = pattern[count % pattern.length]
  appendFileSync(log, `${JSON.stringify({ done, kind, event })}\n`)
  return { lose: [], double: [event, event] }[done] ?? [event]
}

const JOURNAL = '/packages/core/src/journal/journal.ts'
const HEAD = 'function append('
const PLANTED = `function append(telling: Telling, database: Database, event: JournalEvent): void {
  for (const told of globalThis.plantedTelling(event)) appendWhole(telling, database, told)
}
function appendWhole(`

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    if (!url.endsWith(JOURNAL)) return loaded
    const source = new TextDecoder().decode(Buffer.from(loaded.source ?? ''))
    if (source.split(HEAD).length !== 2) throw new Error(`${JOURNAL} has not exactly one "${HEAD}": plant it elsewhere`)
    return { ...loaded, source: source.replace(HEAD, PLANTED) }
  },
})
