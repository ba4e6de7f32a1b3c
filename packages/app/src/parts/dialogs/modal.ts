// What every modal <dialog> needs: it is shown as long as it is drawn, and says when a person wants it gone.
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { standAbove } from '../../router.ts'

type ModalProps = {
  ref: RefObject<HTMLDialogElement | null>
  onCancel: (event: Event) => void
  onClose: () => void
}

/** For the element. `onClose`: by Esc, by Back, by another screen that is shown, or by whoever else closes it. */
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
      // Closed before it leaves the page: else the focus would not go back to where it was.
      dialog?.close()
    }
  }, [])
  return {
    ref,
    onCancel: event => {
      event.preventDefault()
      onClose()
    },
    // A browser closes it in spite of the above when Esc is pressed again and again: it must not stay drawn and unseen.
    onClose: () => {
      if (ref.current?.open === false) onClose()
    },
  }
}
