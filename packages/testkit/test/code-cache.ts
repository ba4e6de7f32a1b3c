// Runs before the first import of a test file: Node finds compiled code again, in the cache of the `postern` command.
import nodeModule from 'node:module'
import { join } from 'node:path'

const directory = join(import.meta.dirname, '../../../node_modules/.cache/postern')
nodeModule.enableCompileCache(directory)
// For processes that a test starts with its environment: without it each of them compiles everything again.
process.env['NODE_COMPILE_CACHE'] = directory

// Ctrl-C goes to all processes of a run. The one that vitest runs in ends the others: it no longer finds the children of a dead parent.
if (process.listenerCount('SIGINT') === 0) process.on('SIGINT', () => undefined)
