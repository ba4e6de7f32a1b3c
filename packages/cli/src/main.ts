// The entry of the `postern` command. The process ends automatically when the command has left nothing running.
import { startLimits } from '@postern/protocol'
import { runPostern } from './postern.ts'

process.exitCode = await runPostern(process.argv.slice(2), process.env)
// A supervisor does not restart a process that failed and does not end.
if (process.exitCode !== 0) setTimeout(() => process.exit(), startLimits.exitWithinMs).unref()
