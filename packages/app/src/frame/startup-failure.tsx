// The app cannot be shown: the reason, and the remedies.
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { FailureKind } from '../contract/stage.ts'
import { call } from '../link/link.ts'
import { reloadPage } from '../link/reload.ts'
import { MoveIn } from '../onboarding/move-in.tsx'
import { Restore } from '../onboarding/restore.tsx'
import { Bar } from '../parts/bar.tsx'
import { confirm } from '../parts/dialogs/dialogs.tsx'
import { Button } from '../parts/fields/button.tsx'
import { Icon } from '../parts/icons/icon.tsx'
import { Page, PageText } from '../parts/page.tsx'
import './startup-failure.css'
import { failureWords } from './failure-words.ts'
import { RelayCode } from './relay-code.tsx'
import type { Lack } from './support.ts'

export type StartupFailure = FailureKind | Lack | 'broken' | 'forgotten'
type Remedy = 'reload' | 'restore' | 'move' | 'remove'

/** The first one is the likeliest to help. */
const remedies: Record<StartupFailure, readonly Remedy[]> = {
  insecure: [],
  'old-browser': [],
  unsupported: [],
  'storage-cleared': ['restore', 'move', 'remove'],
  'storage-refused': ['reload'],
  'storage-failed': ['reload', 'restore', 'remove'],
  'database-damaged': ['reload', 'restore', 'move', 'remove'],
  'storage-full': ['reload'],
  'database-newer': ['reload'],
  'account-unknown': ['reload', 'remove'],
  'account-banned': ['reload', 'remove'],
  'registration-closed': ['reload', 'restore', 'remove'],
  'code-needed': ['restore', 'remove'],
  forgotten: ['restore', 'move', 'remove'],
  unknown: ['reload'],
  broken: ['reload'],
}

async function removeAll(): Promise<void> {
  const w = failureWords.value
  if (
    await confirm({ title: w.removeTitle, text: w.removeText, yes: w.remove, tone: 'danger', icon: 'triangle-alert' })
  )
    await call('removeAccount', {})
}

type FailureProps = { why: StartupFailure; message?: string; onBack?: () => void }

/** `message` is the app's own error text, for a person who is asked for help. */
export function FailureScreen({ why, message, onBack }: FailureProps): VNode {
  const w = failureWords.value
  const way = useSignal<'restore' | 'move' | undefined>(undefined)
  const take = (next: typeof way.value) => () => {
    way.value = next
  }
  if (way.value === 'restore') return <Restore onBack={take(undefined)} />
  if (way.value === 'move') return <MoveIn onBack={take(undefined)} />
  const actions: Record<Remedy, { word: string; run: () => void | Promise<void> }> = {
    reload: { word: w.reload, run: reloadPage },
    restore: { word: w.restore, run: take('restore') },
    move: { word: w.move, run: take('move') },
    remove: { word: w.removeAll, run: removeAll },
  }
  const foot = remedies[why].map((remedy, at) => (
    <Button key={remedy} kind={at === 0 && why !== 'code-needed' ? 'primary' : 'quiet'} onClick={actions[remedy].run}>
      {actions[remedy].word}
    </Button>
  ))
  if (why === 'code-needed') return <RelayCode more={foot} />
  return (
    <Page align="middle" bar={onBack && <Bar onBack={onBack} />} foot={foot.length > 0 && foot}>
      <span class="failure-sign">
        <Icon name="triangle-alert" size={30} />
      </span>
      <h1 class="failure-title">{w.failures[why].title}</h1>
      <PageText>{w.failures[why].text}</PageText>
      {message && (
        <details class="failure-details">
          <summary>{w.details}</summary>
          <p dir="auto">{message}</p>
        </details>
      )}
    </Page>
  )
}
