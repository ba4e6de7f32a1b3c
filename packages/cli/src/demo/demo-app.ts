// The web app that the demo's relay serves: built if needed, with a line for the waiting user.
import { builtApp } from '@postern/app/build'
import { CodedError, cleanLine } from '@postern/protocol'
import { progressLine } from '../build-progress.ts'
import type { DemoSettings } from './demo-settings.ts'

const OFF = 'off'

type Surroundings = { stop: AbortSignal; print: (text: string) => void }

/** Undefined if the app is off. */
export async function demoApp({ app }: DemoSettings, { stop, print }: Surroundings): Promise<string | undefined> {
  if (app !== undefined) return app === OFF ? undefined : app
  try {
    return await builtApp({ signal: stop, onBuild: () => progressLine(print) })
  } catch (error) {
    stop.throwIfAborted()
    const rule = `${cleanLine(error instanceof Error ? error.message : String(error))}; ${OFF} goes without it`
    throw new CodedError('bad-field', { field: '--app', rule }, { cause: error })
  }
}
