// Finds a Chromium on this machine, and starts it for tests and measurements.
import { existsSync } from 'node:fs'
import { chromium, type LaunchOptions } from 'playwright-core'
import { findProgram } from './find-program.ts'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']
const SHELL_NAMES = ['chromium-headless-shell', 'chrome-headless-shell']

/**
 * `shell`: the same engine without windows, which needs two thirds of the processor time. It has no microphone and no
 * notifications. `whole`: the browser that people have.
 */
export type ChromiumKind = 'shell' | 'whole'

/**
 * `CHROMIUM`, or one in the path, or the one that playwright has downloaded. Never a silent skip: throws with
 * instructions.
 */
function findChromium(): string {
  const found = findProgram(NAMES, 'CHROMIUM') ?? [chromium.executablePath()].find(existsSync)
  if (found !== undefined) return found
  throw new Error(
    'No Chromium is found: run `apt-get install chromium`, or `npx playwright-core install --with-deps chromium`, or name one in CHROMIUM.',
  )
}

/** For pages with permission: a microphone that beeps, on machines that have none. */
const FAKE_MICROPHONE = '--use-fake-device-for-media-stream'

/** A machine without a shell uses the whole browser. Root may not use the sandbox, and containers are often root. */
export const launchOptions = (kind: ChromiumKind = 'whole'): LaunchOptions => ({
  executablePath: (kind === 'shell' ? findProgram(SHELL_NAMES, 'CHROMIUM') : undefined) ?? findChromium(),
  args: [FAKE_MICROPHONE, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
})
