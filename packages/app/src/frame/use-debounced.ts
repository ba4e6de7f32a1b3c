// A state that is only worth showing when it lasts: a short loss of the network is not.
import { type ReadonlySignal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

/** True once it has been so for that long. */
export function useDebounced(isSo: boolean, afterMs: number): ReadonlySignal<boolean> {
  const lasts = useSignal(false)
  useEffect(() => {
    lasts.value = false
    if (!isSo) return
    const timer = setTimeout(() => {
      lasts.value = true
    }, afterMs)
    return () => clearTimeout(timer)
  }, [isSo])
  return lasts
}
