// A real Chromium for tests: one for a whole run, started when the first test wants it.
import { type Browser, type BrowserContext, chromium } from 'playwright-core'
import { inject } from 'vitest'
import { launchOptions } from '../src/chromium-launch.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the address of the run's browser is asked for; set by `chromium-run.ts`. */
    chromiumDoor: string
  }
}

/** The browser of the run; what is opened over this connection closes with it. */
export async function connectChromium(): Promise<Browser> {
  const response = await fetch(inject('chromiumDoor'))
  const said = await response.text()
  if (!response.ok) throw new Error(said)
  return await chromium.connect(said)
}

/** A browser of its own, with a profile on the disk that outlives it. */
export async function openProfile(directory: string): Promise<BrowserContext> {
  return await chromium.launchPersistentContext(directory, launchOptions())
}
