// The entry of the `postern` command. The process ends by itself when the command has left nothing running.
import { runPostern } from './postern.ts'

process.exitCode = await runPostern(process.argv.slice(2), process.env)
