// `postern relay`: a relay as a process of its own.
import { once } from 'node:events'
import { pino } from 'pino'
import { readConfig } from './config.ts'
import { startRelay } from './relay.ts'

/** Runs until SIGTERM or SIGINT; gives the exit code. */
export async function runRelay(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const stopped = Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')])
  try {
    const config = readConfig(argv, env)
    const logger = pino({ name: 'relay', level: config.logLevel })
    const relay = await startRelay({ ...config, logger })
    logger.info({ url: relay.url, port: relay.port }, 'listening')
    await stopped
    logger.info('stopping')
    await relay.stop()
    logger.info('stopped')
    return 0
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  }
}

if (import.meta.main) process.exitCode = await runRelay(process.argv.slice(2), process.env)
