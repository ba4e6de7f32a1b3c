// An error in words. There are many of them and most are never shown: they are fetched when the page is idle.
import { type ReadonlySignal, signal } from '@preact/signals'
import type { FaultView } from '../contract/objects.ts'
import type { FaultSentence } from './fault-table.ts'
import { lazyImport } from './lazy-import.ts'

const table = signal<ReadonlySignal<Record<string, FaultSentence>> | undefined>(undefined)

const fetchWords = lazyImport(async () => {
  table.value = (await import('./fault-table.ts')).faultWords
})

/** For rendered text: rendered again when the words arrive. For a code without words: the error's own message. */
export function faultText({ code, message, details = {} }: FaultView): string {
  const words = table.value?.value
  const say = words && Object.hasOwn(words, code) ? words[code] : undefined
  return say?.(details) ?? (message || code)
}

/** For a text that is shown once. */
export async function faultWordsOf(fault: FaultView): Promise<string> {
  // If they cannot be fetched, the error's own message is used.
  await fetchWords().catch(() => undefined)
  return faultText(fault)
}
