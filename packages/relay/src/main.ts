// `postern relay`: a relay as a process of its own; `postern relay status` and the like: a word to the one that runs.
import {
  CodedError,
  Deferred,
  type Env,
  isCoded,
  type ListenAddress,
  listenPlace,
  relayDefaults,
} from '@postern/protocol'
import { stopSignal } from '@postern/protocol/node'
import { logCrash, openProcessLog } from '@postern/protocol/process-log'
import { makeInvite } from './commands/invite.ts'
import { markRestored } from './commands/mark-restored.ts'
import { runMove } from './commands/move.ts'
import { operatorCommandIn, runOperatorCommand } from './commands/operate.ts'
import { reloadAtHangUp } from './commands/reload.ts'
import { type RelayConfig, readConfig } from './config/config.ts'
import { startRelay } from './relay.ts'

type Built = { readonly app?: string | undefined }

/** Runs until SIGTERM or SIGINT, or until its database is another one; gives the exit code. `built`: what is served unless the settings say otherwise. */
export async function runRelay(argv: readonly string[], env: Env, built: Built = {}): Promise<number> {
  const asked = operatorCommandIn(argv)
  if (asked) return await print(() => runOperatorCommand(asked.name, asked.rest, env))
  if (argv[0] === 'move') return await print(() => runMove(argv.slice(1), { env, say: sayBeside }))
  if (argv[0] === 'restored') return await print(() => markRestored(argv.slice(1), env))
  if (argv[0] === 'invite') return await print(() => makeInvite(argv.slice(1), env))
  return await serve(() => readConfig(argv, env, built.app))
}

async function serve(read: () => RelayConfig): Promise<number> {
  const { signal, forget: forgetStop } = stopSignal()
  let forgetCrash: (() => void) | undefined
  let store = '--data'
  try {
    const config = read()
    if (config.database !== undefined) store = '--database'
    const log = openProcessLog({ level: config.logLevel, waitingBytesMax: relayDefaults.logWaitingBytesMax })
    forgetCrash = logCrash(log, 'relay')
    const end = new Deferred<CodedError | undefined>()
    end.onAbort(signal, () => end.resolve(undefined))
    const relay = await startRelay({ ...config, log, onReplaced: error => end.resolve(error) }).catch(
      (error: unknown) => {
        throw listenFault(error, config)
      },
    )
    const forget = reloadAtHangUp({ relay, log, read, before: config })
    const { url, port, metricsUrl } = relay
    const metrics = metricsUrl === undefined ? {} : { metrics: metricsUrl }
    log.info({ url, port, registration: config.registration, ...metrics }, 'listening')
    const replaced = await end.promise
    if (replaced) log.error({ code: replaced.code, reason: replaced.message }, 'database replaced; relay ends')
    else log.info({}, 'stopping')
    await relay.stop()
    forget()
    log.info({}, 'stopped')
    return replaced ? 1 : 0
  } catch (error) {
    process.stderr.write(`${startFault(error, store)}\n`)
    return 1
  } finally {
    forgetStop()
    forgetCrash?.()
  }
}

const sayBeside = (line: string): void => void process.stderr.write(`${line}\n`)

async function print(text: () => Promise<string>): Promise<number> {
  try {
    process.stdout.write(`${await text()}\n`)
    return 0
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  }
}

/** What the place of all data is at fault for is said under the name of its option. */
function startFault(error: unknown, store: string): string {
  const text = error instanceof Error ? error.message : String(error)
  return isCoded(error) && error.code.startsWith('database-') ? `${store}: ${text}` : text
}

type InUse = NodeJS.ErrnoException & { port?: number }

function listenFault(error: unknown, { listen, metrics }: RelayConfig): unknown {
  const { code, port } = error as InUse
  if (code !== 'EADDRINUSE' && code !== 'EADDRNOTAVAIL') return error
  const isOfMetrics = metrics !== undefined && metrics.port === port && listen.port !== port
  const [field, address]: [string, ListenAddress] = isOfMetrics ? ['--metrics', metrics] : ['--listen', listen]
  const rule = code === 'EADDRINUSE' ? 'is in use' : 'is not an address of this machine'
  return new CodedError('bad-field', { field, rule: `${listenPlace(address)} ${rule}` })
}
