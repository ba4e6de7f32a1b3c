// An error in words. There are many of them and most are never seen: they are fetched when the page rests.
import { type ReadonlySignal, signal } from '@preact/signals'
import type { FaultView } from '../contract/objects.ts'
import type { FaultSentence } from './fault-table.ts'
import { lazyImport } from './lazy-import.ts'

const table = signal<ReadonlySignal<Record<string, FaultSentence>> | undefined>(undefined)

const fetchWords = lazyImport(async () => {
  table.value = (await import('./fault-table.ts')).faultWords
})

/** For what is drawn: anew when the words are here. A code without words of its own: what the error says of itself. */
export function faultText({ code, message, details = {} }: FaultView): string {
  const words = table.value?.value
  const say = words && Object.hasOwn(words, code) ? words[code] : undefined
  return say?.(details) ?? (message || code)
}

/** For what is said once. */
export async function faultWordsOf(fault: FaultView): Promise<string> {
  // Where they cannot be fetched the error speaks for itself.
  await fetchWords().catch(() => undefined)
  return faultText(fault)
}
