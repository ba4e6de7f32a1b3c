// How a page loads itself anew: whoever holds something that must not be lost by it puts it where the next page finds it.
const before = new Set<() => void>()

export function beforeReload(keep: () => void): void {
  before.add(keep)
}

export function reloadPage(): void {
  for (const keep of before) keep()
  location.reload()
}
