// A file that a component shows: held open while it does.
import { useLayoutEffect } from 'preact/hooks'
import { begin } from '../parts/attempt.ts'
import { type FilePlace, holdFile, type OpenedFile, openedFile, openFile } from './opened-files.ts'

type Opened = { state: OpenedFile; open: () => void }

/** `at once`: fetched as soon as it is shown; `asked`: when somebody wants it. */
export function useOpenedFile(place: FilePlace, when: 'at once' | 'asked'): Opened {
  useLayoutEffect(() => {
    const release = holdFile(place)
    if (when === 'at once') begin(openFile(place))
    return release
  }, [place.message, when])
  return { state: openedFile(place).value, open: () => begin(openFile(place)) }
}
