// The common part of every modal <dialog>: it is shown as long as it is drawn, and reports when a person closes it.
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { standAbove } from '../../router.ts'

type ModalProps = {
  ref: RefObject<HTMLDialogElement | null>
  onCancel: (event: Event) => void
  onClose: () => void
}

/** For the element. `onClose`: by Esc, by Back, by another screen, or by other code. */
export function useModal(onClose: () => void): ModalProps {
  const ref = useRef<HTMLDialogElement>(null)
  const latest = useRef(onClose)
  latest.current = onClose
  useLayoutEffect(() => {
    const dialog = ref.current
    dialog?.showModal()
    const leave = standAbove(() => latest.current())
    return () => {
      leave()
      // Closed before it leaves the page: otherwise the focus would not return to its previous place.
      dialog?.close()
    }
  }, [])
  return {
    ref,
    onCancel: event => {
      event.preventDefault()
      onClose()
    },
    // A browser closes it in spite of the above when Esc is pressed repeatedly: it must not stay drawn and invisible.
    onClose: () => {
      if (ref.current?.open === false) onClose()
    },
  }
}
