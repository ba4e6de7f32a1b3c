// The browser of a test file that runs in two of them: Chromium, and Firefox in the vitest project of that name.
import { type Browser, firefox } from 'playwright-core'
import type { ChromiumKind } from '../src/chromium-launch.ts'
import { firefoxLaunchOptions } from '../src/firefox-launch.ts'
import { connectChromium } from './chromium.ts'

export const isFirefox = (): boolean => process.env['POSTERN_TEST_BROWSER'] === 'firefox'

/**
 * Every file has its own Firefox: only one of its windows has the focus, and in the others no key presses a button and
 * every choice of a file is also cancelled.
 */
export async function openBrowser(kind?: ChromiumKind): Promise<Browser> {
  return isFirefox() ? await firefox.launch(firefoxLaunchOptions()) : await connectChromium(kind)
}
