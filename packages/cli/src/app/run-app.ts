// `postern app`: the web app out of this installation, for a relay whose own copy of the app need not be trusted.
import { builtApp } from '@postern/app/build'
import { aborted, CodedError } from '@postern/protocol'
import { stopSignal } from '@postern/protocol/node'
import { readAppFiles } from '@postern/relay/app-files'
import { progressLine } from '../build-progress.ts'
import { type OwnAppSettings, readAppCommand } from './app-settings.ts'
import { startOwnApp } from './own-app.ts'
import { printHash } from './print-hash.ts'

/** Resolves with the exit code, at a signal. */
export async function runApp(argv: readonly string[]): Promise<number> {
  const command = readAppCommand(argv)
  const { signal, forget } = stopSignal()
  try {
    const folder = await appFolder(signal)
    if (command.do === 'hash') return await printHash(folder, command.relay)
    const { settings } = command
    const app = await startOwnApp(readAppFiles(folder), settings)
    process.stdout.write(screenOf(app.url, settings))
    await aborted(signal)
    await app.stop()
    return 0
  } catch (error) {
    if (signal.aborted) return 0
    throw error
  } finally {
    forget()
  }
}

/** In a checkout, the app is built first if necessary. */
async function appFolder(signal: AbortSignal): Promise<string> {
  try {
    return await builtApp({ signal, onBuild: () => progressLine(text => void process.stderr.write(text)) })
  } catch (cause) {
    throw new CodedError('bad-field', { field: 'app', rule: cause instanceof Error ? cause.message : String(cause) })
  }
}

const screenOf = (url: string, { relay }: OwnAppSettings): string => `Open ${url} in a browser of this machine.

The app comes from this installation; only messages go to ${relay}.
Keep this command running while you use the app. Your account is stored in the browser, under this address.
To follow an invite link, copy it and choose "I have an invite link". Press Ctrl+C to stop.
`
