// Lines above everything: no connection, an inactive tab, a new version, an offer.
import { signal } from '@preact/signals'
import type { VNode } from 'preact'
import { leadHere, linkState, useView } from '../link/link.ts'
import { lazyPart } from '../parts/lazy-part.tsx'
import { Strip } from '../parts/strip.tsx'
import { hasNewVersion, restart } from './updates.ts'
import { useDebounced } from './use-debounced.ts'
import { frameWords } from './words.ts'

const OfferLine = lazyPart(() => import('../push/offer.tsx').then(({ OfferLine }) => OfferLine))
const InstallLine = lazyPart(() => import('../install/install.tsx').then(({ InstallLine }) => InstallLine))

const BLINK_MS = 2_000

const hasNetwork = signal(navigator.onLine)
for (const kind of ['online', 'offline']) {
  addEventListener(kind, () => {
    hasNetwork.value = navigator.onLine
  })
}

/** One at a time: the one that makes the others meaningless. */
export function Strips(): VNode {
  const w = frameWords.value
  const connection = useView('connection')
  const isCut = useDebounced(connection.value === 'connecting', BLINK_MS)
  if (linkState.value.core === 'silent')
    return (
      <Strip icon="info" action={{ word: w.useHere, run: leadHere }}>
        {w.silent}
      </Strip>
    )
  if (!hasNetwork.value || isCut.value)
    return <Strip icon="cloud-off">{hasNetwork.value ? w.connecting : w.offline}</Strip>
  if (hasNewVersion.value)
    return (
      <Strip icon="refresh-cw" tone="plain" action={{ word: w.restart, run: restart }}>
        {w.newVersion}
      </Strip>
    )
  return <OfferLine otherwise={<InstallLine />} />
}
