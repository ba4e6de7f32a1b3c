// The effect of a key in the field, from values alone.
export type FieldKey = Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey' | 'isComposing'>

export type FieldState = { hasChoices: boolean; isEmpty: boolean; isAbout: boolean; enterSends: boolean }

export type FieldDeed =
  | 'send'
  | 'choose'
  | 'next-choice'
  | 'previous-choice'
  | 'close-choices'
  | 'cancel'
  | 'edit-last'
  | 'to-end'

/** Undefined: the browser's default applies. */
export function deedOf(key: FieldKey, state: FieldState): FieldDeed | undefined {
  // Enter ends a word that is being composed, and does not send half of it.
  if (key.isComposing || key.altKey) return undefined
  if (state.hasChoices && !key.shiftKey && !key.ctrlKey && !key.metaKey) {
    const deed = choiceKeys[key.key]
    if (deed) return deed
  }
  if (key.key === 'Enter') return isSending(key, state.enterSends) ? 'send' : undefined
  if (key.key === 'Escape') return state.isAbout ? 'cancel' : 'to-end'
  if (key.key === 'ArrowUp' && state.isEmpty && !state.isAbout && !key.shiftKey) return 'edit-last'
  return undefined
}

const choiceKeys: Partial<Record<string, FieldDeed>> = {
  ArrowDown: 'next-choice',
  ArrowUp: 'previous-choice',
  Enter: 'choose',
  Tab: 'choose',
  Escape: 'close-choices',
}

const isSending = ({ shiftKey, ctrlKey, metaKey }: FieldKey, enterSends: boolean): boolean =>
  ctrlKey || metaKey || (enterSends && !shiftKey)
