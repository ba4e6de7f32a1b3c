// `postern relay`: a relay as a process of its own; `postern relay invite`: a word to the one that runs.
import { CodedError, isCoded, type ListenAddress, listenPlace, relayDefaults } from '@postern/protocol'
import { type Logger, pino } from 'pino'
import { readConfig } from './config.ts'
import { makeInvite } from './invites/run-invite.ts'
import { startRelay } from './relay.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Runs until SIGTERM or SIGINT; gives the exit code. */
export async function runRelay(argv: readonly string[], env: Environment): Promise<number> {
  if (argv[0] === 'invite') return await runInvite(argv.slice(1), env)
  const stop = Promise.withResolvers<void>()
  // For as long as it runs: one that comes again must not kill a stop that is under way.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop.resolve())
  try {
    const config = readConfig(argv, env)
    const logger = createLogger(config.logLevel)
    const relay = await startRelay({ ...config, logger }).catch((error: unknown) => {
      throw listenFault(error, config.listen)
    })
    logger.info({ url: relay.url, port: relay.port }, 'listening')
    await stop.promise
    logger.info('stopping')
    await relay.stop()
    logger.info('stopped')
    return 0
  } catch (error) {
    process.stderr.write(`${startFault(error)}\n`)
    return 1
  }
}

async function runInvite(argv: readonly string[], env: Environment): Promise<number> {
  try {
    process.stdout.write(`${await makeInvite(argv, env)}\n`)
    return 0
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  }
}

/** What the data directory is at fault for is said under the name of its option. */
function startFault(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return isCoded(error) && error.code.startsWith('database-') ? `--data: ${text}` : text
}

/** As the gateway writes its own: whoever reads both reads one form. */
function createLogger(level: string): Logger {
  const output = pino.destination({ fd: 1, sync: true, maxLength: relayDefaults.logWaitingBytesMax })
  // Lines that cannot be written, as into a file on a full disk, wait and must not end what they tell of.
  output.on('error', () => undefined)
  const timestamp = pino.stdTimeFunctions.isoTime
  const logger = pino({ level, base: null, timestamp, formatters: { level: label => ({ level: label }) } }, output)
  // What nobody has caught is a fault of ours. It ends the process, as the state behind it may be wrong; not without a line.
  process.on('uncaughtExceptionMonitor', error => logger.error({ err: error }, 'a fault of ours ends the relay'))
  return logger
}

function listenFault(error: unknown, address: ListenAddress): unknown {
  if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') return error
  return new CodedError('bad-field', { field: '--listen', rule: `${listenPlace(address)} is in use` })
}

if (import.meta.main) process.exitCode = await runRelay(process.argv.slice(2), process.env)
