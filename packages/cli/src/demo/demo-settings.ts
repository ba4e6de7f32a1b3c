// The command line of `postern demo`.
import { parseOptions, UsageError } from '../usage-error.ts'

export type DemoSettings = {
  /** Absent: the port of the last start, or the default port at the first one. */
  relayPort: number | undefined
  gatewayPort: number
  /** The folder of the web app, or none with `off`. Absent: the one that is built here. */
  app: string | undefined
  /** The program that answers people: the demo's, or the reader's own. */
  program: 'demo' | 'own'
  directory: string
}

const options = {
  'relay-port': { type: 'string' },
  'gateway-port': { type: 'string', default: '8080' },
  data: { type: 'string', default: '.postern' },
  app: { type: 'string' },
  bot: { type: 'string', default: 'on' },
} as const

export function readDemoSettings(argv: readonly string[]): DemoSettings {
  const given = parseOptions(argv, options)
  return {
    relayPort: given['relay-port'] === undefined ? undefined : portOf('--relay-port', given['relay-port']),
    gatewayPort: portOf('--gateway-port', given['gateway-port']),
    directory: given.data,
    app: given.app,
    program: programOf(given.bot),
  }
}

function programOf(bot: string): DemoSettings['program'] {
  if (bot !== 'on' && bot !== 'off') throw new UsageError('--bot must be on or off')
  return bot === 'on' ? 'demo' : 'own'
}

/** 0 is a free port of the system's choice. */
function portOf(option: string, text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new UsageError(`${option} must be a port from 0 to 65535`)
  return Number(text)
}
