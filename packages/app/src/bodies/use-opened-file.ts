// A file that a component shows: held open while it does.
import { useSignal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import { CallError } from '../contract/calls.ts'
import { askUntilAnswered } from '../parts/ask-until.ts'
import { type FilePlace, type FileView, holdFile, openedFile, openFile } from './opened-files.ts'

type Opened = { state: FileView; open: () => void }

/** The state of the file has the outcome. */
const quietly = { refused: () => undefined }

/** `at once`: fetched as soon as it is shown; `asked`: when somebody wants it. */
export function useOpenedFile(place: FilePlace, when: 'at once' | 'asked'): Opened {
  const presses = useSignal(0)
  const isWanted = when === 'at once' || presses.value > 0
  useLayoutEffect(() => holdFile(place), [place.message])
  useLayoutEffect(
    () => (isWanted ? askUntilAnswered(() => openOrThrow(place), quietly) : undefined),
    [place.message, isWanted, presses.value],
  )
  const open = (): void => {
    presses.value += 1
  }
  return { state: openedFile(place).value, open }
}

/** Retried while it is shown: the relay may be away only for a moment. */
async function openOrThrow(place: FilePlace): Promise<void> {
  const state = await openFile(place)
  if (state.kind === 'failed') throw new CallError(state.fault)
}
