// The demo's relay and gateway. What keeps one of them from starting is said in terms of the demo's options.
import { join } from 'node:path'
import { type Gateway, readSettings, startGateway } from '@postern/gateway'
import { CodedError } from '@postern/protocol'
import { type Relay, startRelay } from '@postern/relay'
import { terminalLog } from '../terminal-log.ts'
import type { DemoSettings } from './demo-settings.ts'

const HOST = '127.0.0.1'

const optionFault = (option: string, rule: string): CodedError => new CodedError('bad-field', { field: option, rule })
const portFault = (option: string, port: number): CodedError =>
  optionFault(option, `port ${port} is in use; choose another one, as in ${option} ${port + 1}`)

export async function startDemoRelay({ relayPort, directory }: DemoSettings): Promise<Relay> {
  try {
    return await startRelay({ listen: { host: HOST, port: relayPort }, dataDirectory: join(directory, 'relay') })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') throw portFault('--relay-port', relayPort)
    throw error
  }
}

type Wanted = { relayUrl: string; token: string }

export async function startDemoGateway(demo: DemoSettings, { relayUrl, token }: Wanted): Promise<Gateway> {
  const settings = readSettings({
    BOT_TOKEN: token,
    BOT_NAME: 'Echo',
    RELAY_URL: relayUrl,
    LISTEN: `${HOST}:${demo.gatewayPort}`,
    DATA_DIR: join(demo.directory, 'bot'),
  })
  const gateway = await startGateway({ settings, log: terminalLog(process.stderr) }).catch((error: unknown) => {
    if (error instanceof CodedError && error.details['field'] === 'LISTEN')
      throw portFault('--gateway-port', demo.gatewayPort)
    throw error
  })
  const { relayUrl: home } = gateway.client
  if (home === relayUrl) return gateway
  await gateway.stop()
  const rule = `the bot in ${demo.directory} lives on ${home}; keep --relay-port ${new URL(home).port}, or start a new bot with another --data`
  throw optionFault('--relay-port', rule)
}
