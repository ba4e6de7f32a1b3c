// Where the keys lead in a list of chats.

/** The chat after or before one; from none, the first or the last. Nothing past the ends. */
export function neighbourOf(chats: readonly string[], from: string | undefined, step: 1 | -1): string | undefined {
  const at = from === undefined ? -1 : chats.indexOf(from)
  if (at < 0) return chats.at(step === 1 ? 0 : -1)
  return chats[at + step]
}

const PAGE_ROWS = 8

/** The target position of a key, or undefined when it is not a key of a list. */
export function placeAfterKey(key: string, at: number, count: number): number | undefined {
  const to = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + PAGE_ROWS,
    PageUp: at - PAGE_ROWS,
    Home: 0,
    End: count - 1,
  }[key]
  return to === undefined || count === 0 ? undefined : Math.max(0, Math.min(to, count - 1))
}
