// Which row is next when the one that was held is gone.

/** The nearest of those that stay, first below and then above. None for a row that is still there, or never was. */
export function nextFocusOf(
  gone: string | undefined,
  before: readonly string[],
  now: ReadonlySet<string>,
): string | undefined {
  const at = gone === undefined || now.has(gone) ? -1 : before.indexOf(gone)
  if (at === -1) return undefined
  return before.slice(at + 1).find(id => now.has(id)) ?? before.slice(0, at).findLast(id => now.has(id))
}
