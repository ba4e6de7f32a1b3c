// A real Chromium for tests: one of each kind for a whole run, started by the first test that needs it.
import { type Browser, type BrowserContext, chromium } from 'playwright-core'
import { inject } from 'vitest'
import { type ChromiumKind, launchOptions } from '../src/chromium-launch.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The address that hands out the address of the run's browser; set by `chromium-run.ts`. */
    chromiumDoor: string
  }
}

/** The browser of the run; pages opened over this connection close with it. */
export async function connectChromium(kind: ChromiumKind = 'shell'): Promise<Browser> {
  const response = await fetch(new URL(kind, inject('chromiumDoor')))
  const said = await response.text()
  if (!response.ok) throw new Error(said)
  return await chromium.connect(said)
}

/** A separate browser, with a profile on the disk that outlives it. */
export async function openProfile(directory: string): Promise<BrowserContext> {
  return await chromium.launchPersistentContext(directory, launchOptions())
}
