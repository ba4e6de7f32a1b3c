// Asks before the page is left while the core has not stored a person's words: the worker may end with the page.
import type { AppCallName } from '../contract/calls.ts'

const CALLS_WITH_WORDS: ReadonlySet<AppCallName> = new Set(['send', 'sendFile', 'sendPoll', 'forward', 'edit'])

let unstored = 0

/** The listener is there only meanwhile: browsers keep a page with such a listener out of their cache. */
export async function guardWords<T>(name: AppCallName, answer: Promise<T>): Promise<T> {
  if (!CALLS_WITH_WORDS.has(name)) return await answer
  if (unstored++ === 0) addEventListener('beforeunload', askToStay)
  try {
    return await answer
  } finally {
    if (--unstored === 0) removeEventListener('beforeunload', askToStay)
  }
}

const askToStay = (event: BeforeUnloadEvent): void => event.preventDefault()
