// A gateway in a process of its own, for tests that kill it.
import { runGateway } from '../src/main.ts'

process.exitCode = await runGateway([], process.env)
