// `postern relay`: a relay as a process of its own; `postern relay invite`: a word to the one that runs.
import { aborted, CodedError, isCoded, type ListenAddress, listenPlace, relayDefaults } from '@postern/protocol'
import { stopSignal } from '@postern/protocol/node'
import { logCrash, openProcessLog } from '@postern/protocol/process-log'
import { readConfig } from './config.ts'
import { makeInvite } from './invites/run-invite.ts'
import { startRelay } from './relay.ts'

type Environment = Readonly<Record<string, string | undefined>>

type Built = { readonly app?: string | undefined }

/** Runs until SIGTERM or SIGINT; gives the exit code. `built`: what is served unless the settings say otherwise. */
export async function runRelay(argv: readonly string[], env: Environment, built: Built = {}): Promise<number> {
  if (argv[0] === 'invite') return await runInvite(argv.slice(1), env)
  const { signal } = stopSignal()
  try {
    const config = readConfig(argv, env, built.app)
    const log = openProcessLog({ level: config.logLevel, waitingBytesMax: relayDefaults.logWaitingBytesMax })
    logCrash(log, 'relay')
    const relay = await startRelay({ ...config, log }).catch((error: unknown) => {
      throw listenFault(error, config.listen)
    })
    log.info({ url: relay.url, port: relay.port }, 'listening')
    await aborted(signal)
    log.info({}, 'stopping')
    await relay.stop()
    log.info({}, 'stopped')
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

function listenFault(error: unknown, address: ListenAddress): unknown {
  if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') return error
  return new CodedError('bad-field', { field: '--listen', rule: `${listenPlace(address)} is in use` })
}
