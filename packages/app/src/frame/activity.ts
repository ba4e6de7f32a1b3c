// The app lock on a page: tells the core that somebody uses it, and the service worker that it is closed.
import { inBackground } from '../link/background.ts'
import { call, linkState, watch } from '../link/link.ts'

const REPORT_MS = 5_000
const signs = ['pointerdown', 'keydown', 'wheel', 'touchmove'] as const

export function startActivity(): void {
  let isSet = false
  let reportedMs = -Infinity
  watch('lock', [], lock => void (isSet = lock.isSet))
  const report = (): void => {
    const nowMs = performance.now()
    if (!isSet || nowMs - reportedMs < REPORT_MS) return
    reportedMs = nowMs
    inBackground(call('active', {}), 'the app may be locked too early')
  }
  // A closed app is locked, and a page that goes has no time left to look for its notifications.
  const close = (): void => {
    if (isSet && linkState.value.leads) navigator.serviceWorker?.controller?.postMessage({ kind: 'locked' })
  }
  addEventListener('pagehide', close)
  for (const sign of signs) addEventListener(sign, report, { capture: true, passive: true })
}
