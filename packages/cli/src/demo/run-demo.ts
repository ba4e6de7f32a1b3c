// `postern demo`, which is `npm start`: a relay, the web app, a gateway with a bot and the bot's program, all on this machine.
import { aborted, cleanLine, isCoded } from '@postern/protocol'
import { stopSignal } from '@postern/protocol/node'
import { toString as qrCodeOf } from 'qrcode'
import { whenOnline } from '../when-online.ts'
import { demoApp } from './demo-app.ts'
import { runDemoBot } from './demo-bot.ts'
import { answeredLine, demoScreen } from './demo-screen.ts'
import { type DemoSettings, readDemoSettings } from './demo-settings.ts'
import { keepFacts, readKept } from './kept-facts.ts'
import { posternCommand } from './postern-command.ts'
import { startDemoGateway, startDemoRelay } from './start-demo.ts'

/** Resolves with the exit code. */
export async function runDemo(argv: readonly string[]): Promise<number> {
  const settings = readDemoSettings(argv)
  const { signal: stop } = stopSignal()
  try {
    await liveDemo(settings, { stop, print: text => void process.stdout.write(text) })
    return 0
  } catch (error) {
    if (isCoded(error, 'stopping')) return 0
    if (!isCoded(error)) throw error
    process.stderr.write(`${error.code.startsWith('database-') ? '--data: ' : ''}${cleanLine(error.message)}\n`)
    return 1
  }
}

type Surroundings = { stop: AbortSignal; print: (text: string) => void }

/** Until the signal. The bot's program ends first: its last word goes to a gateway that still listens. */
export async function liveDemo(settings: DemoSettings, { stop, print }: Surroundings): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const kept = readKept(settings.directory)
  const app = await demoApp(settings, { stop, print })
  const relay = await startDemoRelay({ ...settings, app }, kept)
  opened.defer(() => relay.stop())
  const { token } = kept ?? keepFacts(settings.directory, relay.port)
  const gateway = await startDemoGateway(settings, { relayUrl: relay.url, token })
  opened.defer(() => gateway.stop())
  if ((await whenOnline(gateway.client, stop)) === 'stopped') return
  const { inviteUrl } = gateway.client.identity.me()
  const qrCode = await qrCodeOf(inviteUrl, { type: 'terminal', small: true })
  const { directory, program } = settings
  const urls = { inviteUrl, apiUrl: gateway.url, relayUrl: relay.url }
  print(demoScreen({ ...urls, qrCode, token, directory, program, postern: posternCommand(process) }))
  if (program === 'own') await aborted(stop)
  else await runDemoBot({ url: gateway.url, token }, stop, to => print(answeredLine(to.name)))
}
