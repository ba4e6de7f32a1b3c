// The demo's relay and gateway. A failed start is reported in terms of the demo's options.
import { join } from 'node:path'
import { type Gateway, readSettings, startGateway } from '@postern/gateway'
import { CodedError } from '@postern/protocol'
import { type Relay, startRelay } from '@postern/relay'
import { terminalLog } from '../terminal-log.ts'
import type { DemoSettings } from './demo-settings.ts'
import type { SavedState } from './saved-state.ts'

const HOST = '127.0.0.1'
const USUAL_RELAY_PORT = 8090

const optionFault = (option: string, rule: string): CodedError => new CodedError('bad-field', { field: option, rule })
const portFault = (option: string, port: number): CodedError =>
  optionFault(option, `port ${port} is in use. Choose another one, as in ${option} ${port + 1}`)

/** On the port of the last start: the bot's account and its invite links point there. */
export async function startDemoRelay(settings: DemoSettings, kept: SavedState | undefined): Promise<Relay> {
  const { relayPort, directory, app } = settings
  if (kept && relayPort !== undefined && relayPort !== kept.relayPort) {
    const rule = `the bot in ${directory} uses port ${kept.relayPort}. Omit the option, or start a new bot with another --data`
    throw optionFault('--relay-port', rule)
  }
  const port = kept?.relayPort ?? relayPort ?? USUAL_RELAY_PORT
  try {
    return await startRelay({ listen: { host: HOST, port }, dataDirectory: join(directory, 'relay'), app })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') throw portFault('--relay-port', port)
    throw error
  }
}

type Wanted = { relayUrl: string; token: string }

export async function startDemoGateway(demo: DemoSettings, { relayUrl, token }: Wanted): Promise<Gateway> {
  const listen = `${HOST}:${demo.gatewayPort}`
  const settings = readSettings({
    BOT_TOKEN: token,
    BOT_NAME: 'Echo',
    RELAY_URL: relayUrl,
    LISTEN: listen,
    // A port that the system chooses is not known yet.
    ...(demo.gatewayPort > 0 && { HOOKS_URL: `http://${listen}` }),
    REFERENCE: 'on',
    CONSOLE: 'on',
    TELEGRAM_API: 'on',
    DATA_DIR: join(demo.directory, 'bot'),
  })
  return await startGateway({ settings, log: terminalLog(process.stderr) }).catch((error: unknown) => {
    const isPort = error instanceof CodedError && error.details['field'] === 'LISTEN'
    throw isPort ? portFault('--gateway-port', demo.gatewayPort) : error
  })
}
