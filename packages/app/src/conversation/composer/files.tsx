// Files that are dropped on the conversation or pasted into its field, and the sign for it.
import type { RefObject, VNode } from 'preact'
import { useCallback } from 'preact/hooks'
import type { Destination } from '../../attaching/send-files.tsx'
import { useDroppedFiles } from '../../attaching/use-dropped-files.ts'
import { attachingWords } from '../../attaching/words.ts'
import { attempt, begin } from '../../parts/attempt.ts'
import { lazyImport } from '../../parts/lazy-import.ts'
import type { Talk } from '../talk.ts'
import './files.css'
import { showEnd } from '../submit.ts'

/** A file that is sent next to the field replies to the same message as the field. */
export function destinationOf(talk: Talk): Destination {
  const about = talk.compose.about.peek()
  return { chat: talk.chat.peek().id, ...(about.kind === 'reply' && { reply_to: about.to.id }) }
}

/** A reply that was sent with a file does not apply to the next text. */
export function filesSent(talk: Talk): void {
  if (talk.compose.about.peek().kind === 'reply') talk.compose.cancel()
  showEnd(talk)
}

const sending = lazyImport(() => import('../../attaching/send-files.tsx'))

async function drop(talk: Talk, files: File[]): Promise<void> {
  const done = await attempt(sending().then(({ sendFiles }) => sendFiles(destinationOf(talk), files)))
  if (done?.value === 'sent') filesSent(talk)
}

export function DropHere({ talk, area }: { talk: Talk; area: RefObject<HTMLElement | null> }): VNode | null {
  const onFiles = useCallback((files: File[]) => begin(drop(talk, files)), [talk])
  const isOver = useDroppedFiles(area, onFiles)
  return isOver.value ? <p class="drop-here">{attachingWords.value.dropHere}</p> : null
}
