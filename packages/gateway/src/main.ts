// `postern gateway`: reads the settings, runs a gateway until a signal, and prints startup errors in one line.
import { CodedError, Deferred, type Env, gatewayLimits, isCoded, usageHint } from '@postern/protocol'
import { stopSignal } from '@postern/protocol/node'
import { logCrash } from '@postern/protocol/process-log'
import { readSettings, settingFault } from './config.ts'
import { type Gateway, gatewayLog, startGateway } from './gateway.ts'

/** Resolves with the exit code. */
export async function runGateway(argv: readonly string[], env: Env): Promise<number> {
  if (argv.length > 0) {
    process.stderr.write(
      `postern gateway: environment variables configure it, and it takes no arguments.\n${usageHint('gateway')}\n`,
    )
    return 2
  }
  const stop = stopSignal()
  let forgetCrash: (() => void) | undefined
  let forgetEnd: (() => void) | undefined
  try {
    const settings = readSettings(env)
    const log = gatewayLog(settings)
    forgetCrash = logCrash(log, 'gateway')
    const gateway = await startGateway({ settings, log }).catch((error: unknown) => {
      throw startFault(error, settings.dataDir)
    })
    const broken = await unlessBroken(gateway, stop.signal)
    forgetEnd = endLateAnyway()
    await gateway.stop()
    if (broken) throw startFault(broken, settings.dataDir)
    return 0
  } catch (error) {
    process.stderr.write(`${oneLine(error)}\n`)
    return 1
  } finally {
    stop.forget()
    forgetCrash?.()
    forgetEnd?.()
  }
}

/** Undefined at the stop. */
async function unlessBroken({ broken }: Gateway, stop: AbortSignal): Promise<CodedError | undefined> {
  const wait = new Deferred<CodedError | undefined>()
  wait.onAbort(stop, () => wait.resolve(undefined))
  wait.settleWith(broken)
  return await wait.promise
}

function endLateAnyway(): () => void {
  const timer = setTimeout(() => process.exit(1), gatewayLimits.stopWithinMs).unref()
  return () => clearTimeout(timer)
}

/** A fault caused by a setting is reported under the name of the setting. */
function startFault(error: unknown, dataDir: string): unknown {
  if (isCoded(error, 'relay-not-home')) return new Error(`RELAY_URL: ${error.message}`)
  if (error instanceof CodedError)
    return error.code.startsWith('database-') ? new Error(`DATA_DIR: ${error.message}`) : error
  const { code, syscall } = error as NodeJS.ErrnoException
  return syscall === undefined ? error : settingFault('DATA_DIR', `${dataDir} cannot be used (${code})`)
}

const oneLine = (error: unknown): string => {
  const text = error instanceof Error ? error.message : String(error)
  return text.replaceAll(/\s*\n\s*/g, ' ')
}
