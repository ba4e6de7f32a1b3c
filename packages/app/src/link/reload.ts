// How a page reloads itself.
import { linkLimits } from './link-limits.ts'

export function reloadPage(): void {
  reload(linkLimits.reloadAgainMs)
}

/** Opening another chat at this moment cancels the reload, and an old page would stay: it is retried, each time later. */
function reload(againMs: number): void {
  location.reload()
  setTimeout(() => reload(againMs * 2), againMs)
}
