// Keys with Alt, Ctrl or Cmd are for the browser or the whole app: Alt and an arrow lead back, or to the next chat.

export const isPlainKey = ({
  altKey,
  ctrlKey,
  metaKey,
}: Pick<KeyboardEvent, 'altKey' | 'ctrlKey' | 'metaKey'>): boolean => !(altKey || ctrlKey || metaKey)
