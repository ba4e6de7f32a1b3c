// A relay in a process of its own, for tests that kill it.
import nodeModule from 'node:module'
import { join } from 'node:path'

// In the cache of the `postern` command: a process that is killed leaves nothing there, and would compile all of it again in each life.
nodeModule.enableCompileCache(join(import.meta.dirname, '../../../node_modules/.cache/postern'))
const { runRelay } = await import('../src/main.ts')

process.exitCode = await runRelay(process.argv.slice(2), process.env)
