// Files that are open on this page: deciphered bytes under an address of the browser, within a budget.
import { type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { CallError } from '../contract/calls.ts'
import type { Fault, FileInfo } from '../contract/objects.ts'
import { call } from '../link/link.ts'

/** What is not shown is let go of, the least recent first, when more than this is open. */
const OPEN_BYTES_MAX = 64 * 1024 * 1024

/** Only these are shown as what they say they are: anything else could run in the page's name. */
const SHOWN_TYPES = new Set([
  'image/jpeg',
  'image/png',
  'image/webp',
  'image/gif',
  'video/mp4',
  'video/webm',
  'video/quicktime',
  'audio/ogg',
  'audio/webm',
  'audio/mp4',
  'audio/mpeg',
  'audio/wav',
])

export type OpenedFile =
  | { kind: 'closed' }
  | { kind: 'opening' }
  | { kind: 'open'; url: string }
  | { kind: 'failed'; fault: Fault }

type Kept = { state: Signal<OpenedFile>; bytes: number; users: number; usedAt: number }

const kept = new Map<string, Kept>()
let uses = 0

export type FilePlace = { chat: string; message: string; file: FileInfo }

function keptOf({ message }: FilePlace): Kept {
  const known = kept.get(message)
  if (known) return known
  const made: Kept = { state: signal<OpenedFile>({ kind: 'closed' }), bytes: 0, users: 0, usedAt: 0 }
  kept.set(message, made)
  return made
}

export const openedFile = (place: FilePlace): ReadonlySignal<OpenedFile> => keptOf(place).state

/** From now on it is not let go of, until the function that is given back is called. */
export function holdFile(place: FilePlace): () => void {
  const one = keptOf(place)
  one.users += 1
  one.usedAt = ++uses
  return () => {
    one.users -= 1
    letGo()
  }
}

/** Fetched when it is not here yet; what fails stands in the state, and can be tried again. */
export async function openFile(place: FilePlace): Promise<OpenedFile> {
  const one = keptOf(place)
  if (one.state.value.kind === 'open' || one.state.value.kind === 'opening') return one.state.value
  one.state.value = { kind: 'opening' }
  try {
    const { bytes } = await call('openFile', { chat: place.chat, message: place.message })
    const type = SHOWN_TYPES.has(place.file.type) ? place.file.type : 'application/octet-stream'
    one.bytes = bytes.size
    one.usedAt = ++uses
    one.state.value = { kind: 'open', url: URL.createObjectURL(bytes.slice(0, bytes.size, type)) }
    letGo()
  } catch (error) {
    if (!(error instanceof CallError)) throw error
    one.state.value = { kind: 'failed', fault: error.fault }
  }
  return one.state.value
}

function letGo(): void {
  const unused = [...kept.values()].filter(one => one.users === 0 && one.state.value.kind === 'open')
  let openBytes = [...kept.values()].reduce((sum, one) => sum + (one.state.value.kind === 'open' ? one.bytes : 0), 0)
  for (const one of unused.toSorted((first, second) => first.usedAt - second.usedAt)) {
    if (openBytes <= OPEN_BYTES_MAX) return
    if (one.state.value.kind === 'open') URL.revokeObjectURL(one.state.value.url)
    one.state.value = { kind: 'closed' }
    openBytes -= one.bytes
  }
}
