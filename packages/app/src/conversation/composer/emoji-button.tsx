// Opens the grid of emoji above the field, and inserts the chosen one at the caret.
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { EmojiChooser } from '../../parts/emoji/emoji-chooser.tsx'
import { IconButton } from '../../parts/icons/icon-button.tsx'
import { standAbove } from '../../router.ts'
import './emoji-button.css'
import { composerWords } from './words.ts'

export function EmojiButton({ onPick }: { onPick: (emoji: string) => void }): VNode {
  const isOpen = useSignal(false)
  const around = useRef<HTMLSpanElement>(null)
  const shut = (): void => {
    isOpen.value = false
    around.current?.querySelector('button')?.focus()
  }
  useEffect(() => {
    if (!isOpen.value) return undefined
    const close = (event: Event): void => {
      if (!(event.target instanceof Node && around.current?.contains(event.target))) isOpen.value = false
    }
    const leave = standAbove(shut)
    document.addEventListener('pointerdown', close)
    document.addEventListener('focusin', close)
    return () => {
      leave()
      document.removeEventListener('pointerdown', close)
      document.removeEventListener('focusin', close)
    }
  }, [isOpen.value])
  return (
    <span
      ref={around}
      onKeyDown={event => {
        if (event.key !== 'Escape' || !isOpen.value) return
        event.stopPropagation()
        shut()
      }}
    >
      <IconButton
        icon="face-slightly-smiling"
        label={composerWords.value.emoji}
        expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value
        }}
      />
      {isOpen.value && (
        <div class="emoji-panel">
          <EmojiChooser onPick={onPick} />
        </div>
      )}
    </span>
  )
}
