// `postern demo`, which is `npm start`: a relay, the web app, a gateway with a bot and the bot's program, all on this machine.
import { aborted, type CloseStack, cleanLine, isCoded, startWhole, systemClock } from '@postern/protocol'
import { stopSignal } from '@postern/protocol/node'
import { toString as qrCodeOf } from 'qrcode'
import { terminalLog } from '../terminal-log.ts'
import { whenOnline } from '../when-online.ts'
import { demoApp } from './demo-app.ts'
import { runDemoBot } from './demo-bot.ts'
import { answeredLine, chatLine, demoScreen } from './demo-screen.ts'
import { type DemoSettings, readDemoSettings } from './demo-settings.ts'
import { posternCommand } from './postern-command.ts'
import { readSavedState, saveState } from './saved-state.ts'
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

/** Until the signal. The bot's program ends first: its last request goes to a gateway that still listens. */
export async function liveDemo(settings: DemoSettings, surroundings: Surroundings): Promise<void> {
  await startWhole({ clock: systemClock, log: terminalLog(process.stderr) }, async opened => {
    await runOpened(settings, surroundings, opened)
    await opened.close()
  })
}

async function runOpened(settings: DemoSettings, { stop, print }: Surroundings, opened: CloseStack): Promise<void> {
  const kept = readSavedState(settings.directory)
  const app = await demoApp(settings, { stop, print })
  const relay = opened.add(await startDemoRelay({ ...settings, app }, kept), it => it.stop())
  const { token } = kept ?? saveState(settings.directory, relay.port)
  const gateway = opened.add(await startDemoGateway(settings, { relayUrl: relay.url, token }), it => it.stop())
  if ((await whenOnline(gateway.client, stop)) === 'stopped') return
  const { inviteUrl } = gateway.client.identity.me()
  const qrCode = await qrCodeOf(inviteUrl, { type: 'terminal', small: true })
  const { directory, program } = settings
  const urls = { inviteUrl, apiUrl: gateway.url, relayUrl: relay.url }
  print(demoScreen({ ...urls, qrCode, token, directory, program, postern: posternCommand(process) }))
  if (program === 'own') await aborted(stop)
  else await runDemoBot({ url: gateway.url, token }, stop, answerPrinter(print))
}

/** Names each chat once, after its first answer: it can then be pasted beside the lines of the screen. */
function answerPrinter(print: (text: string) => void): (to: { name: string }, chat: string) => void {
  const named = new Set<string>()
  return ({ name }, chat) => {
    print(answeredLine(name) + (named.has(chat) ? '' : chatLine(chat)))
    named.add(chat)
  }
}
