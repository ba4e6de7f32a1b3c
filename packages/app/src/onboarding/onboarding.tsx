// Nobody lives in this browser yet: the ways to have an account here.
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { Button } from '../parts/button.tsx'
import { Gate } from '../parts/gate.tsx'
import { arrival } from './arrival.ts'
import { ByInvite } from './by-invite.tsx'
import { ByLink } from './by-link.tsx'
import { ChooseName } from './choose-name.tsx'
import { Restore } from './restore.tsx'
import { onboardingWords } from './words.ts'

type Way = 'new' | 'restore' | 'move' | 'link'

export function Onboarding(): VNode {
  const way = useSignal<Way>('new')
  const take = (next: Way) => () => {
    way.value = next
  }
  if (way.value === 'restore') return <Restore onBack={take('new')} />
  if (way.value === 'move' || arrival.value?.kind === 'move') return <ByLink wanted="move" onBack={take('new')} />
  if (way.value === 'link' && !arrival.value) return <ByLink wanted="invite" onBack={take('new')} />
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
      <Gate size={72} />
      <div class="onboarding-who">
        <h1 class="onboarding-title">{w.welcome}</h1>
        <p class="onboarding-about">{w.promise}</p>
      </div>
    </ChooseName>
  )
}
