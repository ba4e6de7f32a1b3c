// The root of the app: picks the screen by the app's stage.
import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Stage } from '../contract/stage.ts'
import { linkState, useView } from '../link/link.ts'
import { arrival } from '../onboarding/arrival.ts'
import { Layer } from '../parts/dialogs/layer.tsx'
import { closeAllAbove } from '../router.ts'
import { Elsewhere } from './elsewhere.tsx'
import { lazily } from './lazy.tsx'
import { Panes } from './panes.tsx'
import { Splash } from './splash.tsx'
import type { Lack } from './support.ts'

// Shown once, or never: a person with an account does not wait for them.
const Onboarding = lazily(() => import('../onboarding/onboarding.tsx').then(({ Onboarding }) => Onboarding))
const OpenInvite = lazily(() => import('../onboarding/open-invite.tsx').then(({ OpenInvite }) => OpenInvite))
const FailureScreen = lazily(() => import('./startup-failure.tsx').then(({ FailureScreen }) => FailureScreen))

function StageScreen({ stage }: { stage: Stage }): VNode {
  switch (stage.kind) {
    case 'starting':
      return <Splash />
    case 'no-account':
      return <Onboarding />
    case 'open':
      return arrival.value ? <OpenInvite key={arrival.value.link} arrived={arrival.value} /> : <Panes />
    case 'elsewhere':
      return <Elsewhere />
    case 'failed':
      return <FailureScreen why={stage.why} message={stage.message} />
  }
}

/** A restarted core first reports that it starts. Writing continues: the screen and the text in its field stay. */
function useStage(): Stage {
  const stage = useView('stage').value ?? { kind: 'starting' }
  const shown = useRef(stage)
  if (stage.kind !== 'starting' || shown.current.kind !== 'open') shown.current = stage
  return shown.current
}

/** Everything is in one landmark, with the layers above the screens: a screen reader finds nothing outside of it. */
export function App(): VNode {
  const stage = useStage()
  // For example when the account has moved: its code must not stay above the screen that says so.
  useEffect(closeAllAbove, [stage.kind])
  return (
    <main class="app">
      {linkState.value.core === 'broken' ? <FailureScreen why="broken" /> : <StageScreen stage={stage} />}
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
