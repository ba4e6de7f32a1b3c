// The entry of the `postern` command. The process ends by itself when the command has left nothing running.
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { runPostern } from './postern.ts'

// Halves the time to start. Beside the code and not in /tmp, where somebody else could put what we would then run.
enableCompileCache(join(import.meta.dirname, '../../../node_modules/.cache/postern'))

process.exitCode = await runPostern(process.argv.slice(2), process.env)
