// Finds a Firefox on this machine, and starts it for tests: an ordinary one, which playwright drives by WebDriver BiDi.
import { delimiter, dirname, join } from 'node:path'
import type { LaunchOptions } from 'playwright-core'
import { findProgram } from './find-program.ts'

export const FIREFOX_MISSING =
  'No Firefox is found here: run `apt-get install firefox-esr`, or name the program of one in FIREFOX.'

export const findFirefox = (): string | undefined => findProgram(['firefox-esr', 'firefox'], 'FIREFOX')

/** `firefox-bidi.ts` reads the program's path from this variable. */
export const DRIVEN_FIREFOX = 'POSTERN_DRIVEN_FIREFOX'

export function firefoxLaunchOptions(): LaunchOptions {
  const program = findFirefox()
  if (program === undefined) throw new Error(FIREFOX_MISSING)
  return {
    channel: 'moz-firefox',
    executablePath: join(import.meta.dirname, 'firefox-bidi.ts'),
    env: {
      ...process.env,
      // The driver's side of Firefox runs in the Node of the tests.
      PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
      [DRIVEN_FIREFOX]: program,
    },
    firefoxUserPrefs: {
      // A microphone that beeps, on machines that have none, and no question about it: nobody is there to answer.
      'media.navigator.streams.fake': true,
      'media.navigator.permission.disabled': true,
    },
  }
}
