// The next row when the focused one is gone.

/** The nearest remaining row, first below and then above. None for a row that still exists, or never did. */
export function nextFocusOf(
  gone: string | undefined,
  before: readonly string[],
  now: ReadonlySet<string>,
): string | undefined {
  const at = gone === undefined || now.has(gone) ? -1 : before.indexOf(gone)
  if (at === -1) return undefined
  return before.slice(at + 1).find(id => now.has(id)) ?? before.slice(0, at).findLast(id => now.has(id))
}
