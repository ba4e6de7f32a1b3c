// `postern relay` runs a relay as a process; `postern relay status` and similar commands talk to a running one.
import {
  CodedError,
  Deferred,
  type Env,
  isCoded,
  type ListenAddress,
  listenPlace,
  relayDefaults,
  usageHint,
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

/**
 * Runs until SIGTERM or SIGINT, or until its database is replaced; returns the exit code. `built`: the app to serve
 * unless the settings say otherwise.
 */
export async function runRelay(argv: readonly string[], env: Env, built: Built = {}): Promise<number> {
  const asked = operatorCommandIn(argv)
  if (asked) return await print(asked.name, () => runOperatorCommand(asked.name, asked.rest, env))
  if (argv[0] === 'move') return await print('move', () => runMove(argv.slice(1), { env, output: process.stderr }))
  if (argv[0] === 'restored') return await print('restored', () => markRestored(argv.slice(1), env))
  if (argv[0] === 'invite') return await print('invite', () => makeInvite(argv.slice(1), env))
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
    // Without a field, the command line itself is wrong and not a setting.
    if (isCoded(error, 'bad-field') && error.details['field'] === undefined) return refuse(error, 'relay')
    process.stderr.write(`${startFault(error, store)}\n`)
    return 1
  } finally {
    forgetStop()
    forgetCrash?.()
  }
}

async function print(name: string, text: () => Promise<string>): Promise<number> {
  try {
    process.stdout.write(`${await text()}\n`)
    return 0
  } catch (error) {
    if (isCoded(error, 'bad-field')) return refuse(error, `relay ${name}`)
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  }
}

/** A wrong command line: what is wrong, and where the options are. */
function refuse({ message }: CodedError, command: string): number {
  process.stderr.write(`${message.replace(/\.?$/, '.')}\n${usageHint(command)}\n`)
  return 2
}

/** Names the option of the store in errors about the database. */
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
