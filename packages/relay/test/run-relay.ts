// A relay in a separate process, for tests that kill it.
import nodeModule from 'node:module'
import { join } from 'node:path'

// Uses the cache of the `postern` command:
// a killed process writes no cache, and would compile everything at each start.
nodeModule.enableCompileCache(join(import.meta.dirname, '../../../node_modules/.cache/postern'))
const { runRelay } = await import('../src/main.ts')

process.exitCode = await runRelay(process.argv.slice(2), process.env)
