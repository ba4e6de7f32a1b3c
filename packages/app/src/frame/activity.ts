// Tells the core that somebody uses a page: the app lock counts from the last time.
import { inBackground } from '../link/background.ts'
import { call, watch } from '../link/link.ts'

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
  for (const sign of signs) addEventListener(sign, report, { capture: true, passive: true })
}
