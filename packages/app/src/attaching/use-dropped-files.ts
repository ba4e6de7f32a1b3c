// Files that are dropped on a conversation, or pasted into its field.
import { type ReadonlySignal, useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'

const filesOf = (data: DataTransfer | null): File[] => [...(data?.files ?? [])]
const bringsFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false

/** Returns whether files are dragged over the element. A pasted text is left to the field. */
export function useDroppedFiles(
  area: RefObject<HTMLElement | null>,
  onFiles: (files: File[]) => void,
): ReadonlySignal<boolean> {
  const isOver = useSignal(false)
  useEffect(() => {
    const element = area.current
    if (!element) return
    const stop = new AbortController()
    const on = <Name extends keyof HTMLElementEventMap>(name: Name, hear: (event: HTMLElementEventMap[Name]) => void) =>
      element.addEventListener(name, hear, { signal: stop.signal })
    on('dragover', event => {
      if (!bringsFiles(event)) return
      event.preventDefault()
      isOver.value = true
    })
    on('dragleave', event => {
      if (!element.contains(event.relatedTarget as Node | null)) isOver.value = false
    })
    on('drop', event => {
      isOver.value = false
      if (!bringsFiles(event)) return
      event.preventDefault()
      onFiles(filesOf(event.dataTransfer))
    })
    on('paste', event => {
      const files = filesOf(event.clipboardData)
      if (files.length === 0) return
      event.preventDefault()
      onFiles(files)
    })
    return () => stop.abort()
  }, [area, onFiles])
  return isOver
}
