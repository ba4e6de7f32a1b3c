// Finds a Chromium on this machine, and starts it for tests and measurements.
import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium, type LaunchOptions } from 'playwright-core'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']

/**
 * `CHROMIUM`, or one in the path, or the one that playwright has downloaded. Never a silent skip: throws with
 * instructions.
 */
function findChromium(): string {
  const named = process.env['CHROMIUM']
  if (named !== undefined && !isProgram(named)) throw new Error(`CHROMIUM names no program: ${named}`)
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean)
  const candidates = NAMES.flatMap(name => folders.map(folder => join(folder, name)))
  const found = named ?? candidates.find(isProgram) ?? [chromium.executablePath()].find(existsSync)
  if (found !== undefined) return found
  throw new Error(
    'No Chromium is found: run `apt-get install chromium`, or `npx playwright-core install --with-deps chromium`, or name one in CHROMIUM.',
  )
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** For pages with permission: a microphone that beeps, on machines that have none. */
const FAKE_MICROPHONE = '--use-fake-device-for-media-stream'

/** Root may not use the sandbox, and containers are often root. */
export const launchOptions = (): LaunchOptions => ({
  executablePath: findChromium(),
  args: [FAKE_MICROPHONE, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
})
