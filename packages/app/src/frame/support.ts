// Whether this browser can run the app at all; reported in one sentence instead of failing somewhere inside.

export type Lack = 'insecure' | 'old-browser'

type Browser = {
  isSecureContext: boolean
  navigator: { storage?: { getDirectory?: unknown }; locks?: unknown }
  crypto?: { subtle?: unknown }
  BroadcastChannel?: unknown
  Worker?: unknown
}

export function lackOf({ isSecureContext, navigator, crypto, BroadcastChannel, Worker }: Browser): Lack | undefined {
  // Checked first: without it the browser hides the rest, and would be blamed for it.
  if (!isSecureContext) return 'insecure'
  const needed = [navigator.storage?.getDirectory, navigator.locks, crypto?.subtle, BroadcastChannel, Worker]
  return needed.every(part => part !== undefined) ? undefined : 'old-browser'
}
