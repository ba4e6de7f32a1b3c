// Whether this browser has no account, as far as the page can tell before the core is there: then the first form does not
// wait for the core.
import { type ReadonlySignal, signal } from '@preact/signals'
import { ACCOUNT_DIRECTORY } from '../contract/account-directory.ts'
import type { Stage } from '../contract/stage.ts'

/** The last answer of the core, for the next start of a page. */
const SHELF = 'postern-account'
const NONE = 'none'
const SOME = 'some'

const newcomer = signal(false)

/** Until the core says something else. */
export const isNewcomer: ReadonlySignal<boolean> = newcomer

/** Called with each answer of the core. */
export function noteStage({ kind }: Stage): void {
  if (kind === 'starting') return
  // An account that was cleared or cannot be opened is one, too: its screen must not follow a welcome.
  newcomer.value = kind === 'no-account'
  try {
    localStorage.setItem(SHELF, kind === 'no-account' ? NONE : SOME)
  } catch {
    // A browser that lets the page store nothing.
  }
}

type Browser = {
  localStorage: Pick<Storage, 'getItem'>
  navigator: { storage: Pick<StorageManager, 'getDirectory'> }
}

/** Rejects when the page may not look: there is another screen for such a browser. */
export async function looksNew(browser: Browser): Promise<boolean> {
  const noted = browser.localStorage.getItem(SHELF)
  if (noted !== null) return noted === NONE
  const root = await browser.navigator.storage.getDirectory()
  return await root.getDirectoryHandle(ACCOUNT_DIRECTORY).then(
    () => false,
    (error: unknown) => (error as Error).name === 'NotFoundError',
  )
}

export function welcome(): void {
  newcomer.value = true
}
