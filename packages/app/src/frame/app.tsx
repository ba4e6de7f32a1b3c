// The root of the app: picks the screen by the app's stage.
import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Stage } from '../contract/stage.ts'
import type { PageLinkState } from '../link/core-link.ts'
import { hasUnanswered, linkState, useView } from '../link/link.ts'
import { reloadPage } from '../link/reload.ts'
import { arrival } from '../onboarding/arrival.ts'
import { Layer } from '../parts/dialogs/layer.tsx'
import { closeAllAbove } from '../router.ts'
import { Elsewhere } from './elsewhere.tsx'
import { lazily } from './lazy.tsx'
import { isNewcomer, noteStage } from './newcomer.ts'
import { Panes } from './panes.tsx'
import { Splash } from './splash.tsx'
import type { Lack } from './support.ts'

// Shown once, or never: a person with an account does not wait for them.
export const FirstForm = lazily(() => import('../onboarding/onboarding.tsx').then(({ Onboarding }) => Onboarding))
const OpenInvite = lazily(() => import('../onboarding/open-invite.tsx').then(({ OpenInvite }) => OpenInvite))
const LockScreen = lazily(() => import('./lock-screen.tsx').then(({ LockScreen }) => LockScreen))
const FailureScreen = lazily(() => import('./startup-failure.tsx').then(({ FailureScreen }) => FailureScreen))

const FORGET_MS = 100

function StageScreen({ stage }: { stage: Stage }): VNode {
  switch (stage.kind) {
    case 'starting':
      return <Splash />
    case 'no-account':
      return <FirstForm />
    case 'open':
      return arrival.value ? <OpenInvite key={arrival.value.link} arrived={arrival.value} /> : <Panes />
    case 'elsewhere':
      return <Elsewhere />
    case 'locked':
      return <LockScreen waitMs={stage.waitMs} />
    case 'failed':
      return <FailureScreen why={stage.why} message={stage.message} />
  }
}

function LinkedScreen({ core, stage }: { core: PageLinkState['core']; stage: Stage }): VNode {
  if (core === 'broken') return <FailureScreen why="broken" />
  return core === 'refused' ? <FailureScreen why="storage-refused" /> : <StageScreen stage={stage} />
}

/** Nothing that was read stays in the memory of a locked page. Calls that wait for the core would be lost: they stay. */
function useForgetting(kind: Stage['kind']): void {
  const wasOpen = useRef(false)
  wasOpen.current ||= kind === 'open'
  const forget = (): (() => void) | undefined => {
    if (kind !== 'locked' || !wasOpen.current) return undefined
    const timer = setInterval(() => {
      if (hasUnanswered()) return
      clearInterval(timer)
      reloadPage()
    }, FORGET_MS)
    return () => clearInterval(timer)
  }
  useEffect(forget, [kind])
}

/** A restarted core first reports that it starts. Writing continues: the screen and the text in its field stay. */
function useStage(): Stage {
  const told = useView('stage').value ?? { kind: 'starting' }
  useEffect(() => noteStage(told), [told.kind])
  // The same screen as when the core says so: a name that was typed before stays in its field.
  const stage: Stage = told.kind === 'starting' && isNewcomer.value ? { kind: 'no-account' } : told
  const shown = useRef(stage)
  if (stage.kind !== 'starting' || shown.current.kind !== 'open') shown.current = stage
  return shown.current
}

/** Everything is in one landmark, with the layers above the screens: a screen reader finds nothing outside of it. */
export function App(): VNode {
  const stage = useStage()
  // For example when the account has moved: its code must not stay above the screen that says so.
  useEffect(closeAllAbove, [stage.kind])
  useForgetting(stage.kind)
  return (
    <main class="app">
      <LinkedScreen core={linkState.value.core} stage={stage} />
      <Layer />
    </main>
  )
}

/** If not even a core can be requested. */
export const LackScreen = ({ lack }: { lack: Lack }): VNode => (
  <main class="app">
    <FailureScreen why={lack} />
  </main>
)
