// The entry of the `postern` command. The process ends by itself when the command has left nothing running.
import { startLimits } from '@postern/protocol'
import { runPostern } from './postern.ts'

process.exitCode = await runPostern(process.argv.slice(2), process.env)
// A process that failed and does not end is one that no supervisor starts again.
if (process.exitCode !== 0) setTimeout(() => process.exit(), startLimits.exitWithinMs).unref()
