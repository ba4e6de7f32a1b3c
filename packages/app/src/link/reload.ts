// How a page loads itself again.
import { linkLimits } from './link-limits.ts'

export function reloadPage(): void {
  reload(linkLimits.reloadAgainMs)
}

/** Who goes to another chat in this moment calls it off, and an old page would stay: it is tried again, each time later. */
function reload(againMs: number): void {
  location.reload()
  setTimeout(() => reload(againMs * 2), againMs)
}
