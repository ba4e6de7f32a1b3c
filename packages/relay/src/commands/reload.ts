// Reloads the settings on SIGHUP.
// Changeable settings take effect, others wait for a restart, and an invalid one changes nothing.
import { type Log, logFault } from '@postern/protocol'
import type { RelayConfig } from '../config/config.ts'
import type { Relay } from '../relay.ts'

type Reloaded = {
  relay: Pick<Relay, 'change'>
  log: Log & { level: string }
  read: () => RelayConfig
  before: RelayConfig
}

/** On a terminal, SIGHUP means that the terminal was closed, and ends the relay like any program. */
export function reloadAtHangUp(reloaded: Reloaded): () => void {
  if (process.stdin.isTTY) return () => undefined
  let before = reloaded.before
  const listener = (): void => {
    before = reload({ ...reloaded, before })
  }
  process.on('SIGHUP', listener)
  return () => void process.off('SIGHUP', listener)
}

/** Returns the settings that the next reload compares with. */
function reload({ relay, log, read, before }: Reloaded): RelayConfig {
  try {
    const config = read()
    const { changed, afterRestart } = relay.change(config)
    if (log.level !== config.logLevel) changed.push('LOG_LEVEL')
    log.level = config.logLevel
    const waiting = [...afterRestart, ...fixed.filter(name => differs(name, config, before))]
    log.info({ changed, ...(waiting.length > 0 && { afterRestart: waiting }) }, 'settings reloaded')
    return { ...before, ...config, ...Object.fromEntries(fixed.map(name => [name, before[name]])) }
  } catch (error) {
    logFault(error, { what: 'settings not reloaded; keeping the previous ones', log })
    return before
  }
}

const fixed = ['listen', 'dataDirectory', 'database', 'blobs', 'publicHosts', 'proxies', 'app', 'metrics'] as const

const differs = (name: (typeof fixed)[number], config: RelayConfig, before: RelayConfig): boolean =>
  JSON.stringify(config[name]) !== JSON.stringify(before[name])
