// A relay in a process of its own, for tests that kill it.
import { runRelay } from '../src/main.ts'

process.exitCode = await runRelay(process.argv.slice(2), process.env)
