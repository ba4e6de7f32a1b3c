// Whether this browser can run the app at all; reported in one sentence instead of failing somewhere inside.

export type Lack = 'insecure' | 'old-browser' | 'storage-refused'

type Browser = {
  isSecureContext: boolean
  navigator: { storage?: { getDirectory?: unknown }; locks?: unknown }
  crypto?: { subtle?: unknown }
  BroadcastChannel?: new (name: string) => { close(): void }
  Worker?: unknown
  WebAssembly?: unknown
  indexedDB?: unknown
  /** Throws, or is null, where the person has blocked the data of this site. */
  sessionStorage?: unknown
  Promise?: { withResolvers?: unknown }
  AbortSignal?: { any?: unknown }
  Intl?: { Segmenter?: unknown }
  HTMLElement?: { prototype: object }
  CSS?: { supports(property: string, value: string): boolean }
}

/** `docs/app.md` names the first version of each browser that has all of these. */
function isOld(browser: Browser): boolean {
  const needed = [
    browser.navigator.storage?.getDirectory,
    browser.navigator.locks,
    browser.crypto?.subtle,
    browser.BroadcastChannel,
    browser.Worker,
    browser.WebAssembly,
    browser.Promise?.withResolvers,
    browser.AbortSignal?.any,
    browser.Intl?.Segmenter,
  ]
  const hasMenus = browser.HTMLElement !== undefined && 'popover' in browser.HTMLElement.prototype
  const hasColours = browser.CSS?.supports('color', 'light-dark(#000, #fff)') === true
  return needed.includes(undefined) || !hasMenus || !hasColours
}

export function lackOf(browser: Browser): Lack | undefined {
  // Checked first: without it the browser hides the rest, and would be blamed for it.
  if (!browser.isSecureContext) return 'insecure'
  try {
    // Before the rest is read: some browsers hide it as well where data are blocked.
    if (!browser.sessionStorage) return 'storage-refused'
    if (isOld(browser)) return 'old-browser'
    if (browser.BroadcastChannel) new browser.BroadcastChannel('postern-support').close()
    return browser.indexedDB ? undefined : 'storage-refused'
  } catch {
    return 'storage-refused'
  }
}
