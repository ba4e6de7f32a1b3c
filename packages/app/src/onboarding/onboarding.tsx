// This browser has no account yet: the ways to get one.
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { Button } from '../parts/fields/button.tsx'
import { Logo } from '../parts/icons/logo.tsx'
import { lazyPart } from '../parts/lazy-part.tsx'
import { arrival } from './arrival.ts'
import { ByInvite } from './by-invite.tsx'
import { ChooseName } from './choose-name.tsx'
import { onboardingWords } from './words.ts'

// Not with the first form: most people need none of them, and all wait for that one.
const ByLink = lazyPart(() => import('./by-link.tsx').then(({ ByLink }) => ByLink))
const MoveIn = lazyPart(() => import('./move-in.tsx').then(({ MoveIn }) => MoveIn))
const Restore = lazyPart(() => import('./restore.tsx').then(({ Restore }) => Restore))

type Way = 'new' | 'restore' | 'move' | 'link'

export function Onboarding(): VNode {
  const way = useSignal<Way>('new')
  const take = (next: Way) => () => {
    way.value = next
  }
  if (way.value === 'restore') return <Restore onBack={take('new')} />
  if (way.value === 'move') return <MoveIn onBack={take('new')} />
  if (way.value === 'link' && !arrival.value) return <ByLink onBack={take('new')} />
  return arrival.value ? <ByInvite link={arrival.value.link} onRestore={take('restore')} /> : <Welcome take={take} />
}

function Welcome({ take }: { take: (way: Way) => () => void }): VNode {
  const w = onboardingWords.value
  const ways = (
    <>
      <Button kind="quiet" onClick={take('link')}>
        {w.haveLink}
      </Button>
      <Button kind="quiet" onClick={take('restore')}>
        {w.haveFile}
      </Button>
      <Button kind="quiet" onClick={take('move')}>
        {w.haveDevice}
      </Button>
    </>
  )
  return (
    <ChooseName word={w.create} more={ways}>
      <Logo size={72} />
      <div class="onboarding-who">
        <h1 class="onboarding-title">{w.welcome}</h1>
        <p class="onboarding-about">{w.promise}</p>
      </div>
    </ChooseName>
  )
}
