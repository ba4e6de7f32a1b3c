// Files that are open on this page: decrypted bytes under an address of the browser, within a budget.
import { type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { CallError } from '../contract/calls.ts'
import type { FaultView, FileInfo } from '../contract/objects.ts'
import { call } from '../link/link.ts'
import { holdOf, type PhotoHold } from './held-photo.ts'

/** When more than this is open, files that are not shown are closed, the least recent first. */
const OPEN_BYTES_MAX = 64 * 1024 * 1024

/** Only these are shown with their declared type: anything else could run in the page's name. */
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

export type FileView =
  | { kind: 'closed' }
  | { kind: 'opening' }
  | { kind: 'open'; url: string }
  /** A photo that was fetched, and is not decoded before the person asks for it. */
  | { kind: 'held'; url: string; hold: PhotoHold }
  | { kind: 'failed'; fault: FaultView }

type Kept = { state: Signal<FileView>; bytes: number; users: number; usedAt: number }

const kept = new Map<string, Kept>()
let uses = 0

export type FilePlace = { chat: string; message: string; file: FileInfo }

function keptOf({ message }: FilePlace): Kept {
  const known = kept.get(message)
  if (known) return known
  const made: Kept = { state: signal<FileView>({ kind: 'closed' }), bytes: 0, users: 0, usedAt: 0 }
  kept.set(message, made)
  return made
}

export const openedFile = (place: FilePlace): ReadonlySignal<FileView> => keptOf(place).state

/** Keeps it open until the returned function is called. */
export function holdFile(place: FilePlace): () => void {
  const one = keptOf(place)
  one.users += 1
  one.usedAt = ++uses
  return () => {
    one.users -= 1
    letGo()
  }
}

/** Fetches it if needed; a failure is part of the state, and can be retried. */
export async function openFile(place: FilePlace): Promise<FileView> {
  const one = keptOf(place)
  if (one.state.value.kind !== 'closed' && one.state.value.kind !== 'failed') return one.state.value
  one.state.value = { kind: 'opening' }
  try {
    const { file } = place
    const { bytes, picture } = await call('openFile', { chat: place.chat, message: place.message })
    const hold = file.kind === 'photo' ? holdOf(file, picture) : undefined
    one.bytes = bytes.size
    one.usedAt = ++uses
    const url = URL.createObjectURL(bytes.slice(0, bytes.size, picture?.type ?? shownTypeOf(file)))
    one.state.value = hold ? { kind: 'held', url, hold } : { kind: 'open', url }
    letGo()
  } catch (error) {
    if (!(error instanceof CallError)) throw error
    one.state.value = { kind: 'failed', fault: error.fault }
  }
  return one.state.value
}

const shownTypeOf = ({ type }: FileInfo): string => (SHOWN_TYPES.has(type) ? type : 'application/octet-stream')

/** The person wants to see it all the same. */
export function showHeld(place: FilePlace): void {
  const { state } = keptOf(place)
  if (state.value.kind === 'held' && state.value.hold.why !== 'unknown')
    state.value = { kind: 'open', url: state.value.url }
}

function letGo(): void {
  const here = [...kept.values()].filter(({ state }) => 'url' in state.value)
  const unused = here.filter(({ users }) => users === 0)
  let openBytes = here.reduce((sum, { bytes }) => sum + bytes, 0)
  for (const one of unused.toSorted((first, second) => first.usedAt - second.usedAt)) {
    if (openBytes <= OPEN_BYTES_MAX) return
    if ('url' in one.state.value) URL.revokeObjectURL(one.state.value.url)
    one.state.value = { kind: 'closed' }
    openBytes -= one.bytes
  }
}
