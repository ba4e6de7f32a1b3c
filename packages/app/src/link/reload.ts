// How a page loads itself anew: whoever holds something that must not be lost by it puts it where the next page finds it.
import { linkLimits } from './link-limits.ts'

const before = new Set<() => void>()

export function beforeReload(keep: () => void): void {
  before.add(keep)
}

export function reloadPage(): void {
  reload(linkLimits.reloadAgainMs)
}

/** Who goes to another chat in this moment calls it off, and an old page would stay: it is tried again, each time later. */
function reload(againMs: number): void {
  for (const keep of before) keep()
  location.reload()
  setTimeout(() => reload(againMs * 2), againMs)
}
