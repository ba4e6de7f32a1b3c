// A gateway in a separate process, for tests that kill it.
import { runGateway } from '../src/main.ts'

process.exitCode = await runGateway([], process.env)
