// The app cannot be shown: what happened, and what to do about it.
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { FailureKind } from '../contract/stage.ts'
import { call } from '../link/link.ts'
import { reloadPage } from '../link/reload.ts'
import { Restore } from '../onboarding/restore.tsx'
import { Button } from '../parts/button.tsx'
import { confirm } from '../parts/dialogs.tsx'
import { Icon } from '../parts/icon.tsx'
import { Page, PageText } from '../parts/page.tsx'
import './failure.css'
import { failureWords } from './failure-words.ts'
import { RelayCode } from './relay-code.tsx'
import type { Lack } from './support.ts'

export type Failure = FailureKind | Lack | 'broken'
type Remedy = 'reload' | 'restore' | 'remove'

/** The first one is the likeliest to help. */
const remedies: Record<Failure, readonly Remedy[]> = {
  insecure: [],
  'old-browser': [],
  unsupported: [],
  'storage-cleared': ['restore', 'remove'],
  'database-damaged': ['reload', 'restore', 'remove'],
  'storage-full': ['reload'],
  'database-newer': ['reload'],
  'account-unknown': ['reload', 'remove'],
  'account-banned': ['reload', 'remove'],
  'registration-closed': ['reload', 'restore', 'remove'],
  'code-needed': ['restore', 'remove'],
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

/** `message` is what the app says of it, for whoever is asked for help. */
export function FailureScreen({ why, message }: { why: Failure; message?: string }): VNode {
  const w = failureWords.value
  const isRestoring = useSignal(false)
  if (isRestoring.value)
    return (
      <Restore
        onBack={() => {
          isRestoring.value = false
        }}
      />
    )
  const actions: Record<Remedy, { word: string; run: () => void | Promise<void> }> = {
    reload: { word: w.reload, run: reloadPage },
    restore: {
      word: w.restore,
      run: () => {
        isRestoring.value = true
      },
    },
    remove: { word: w.removeAll, run: removeAll },
  }
  const foot = remedies[why].map((remedy, at) => (
    <Button key={remedy} kind={at === 0 && why !== 'code-needed' ? 'primary' : 'quiet'} onClick={actions[remedy].run}>
      {actions[remedy].word}
    </Button>
  ))
  if (why === 'code-needed') return <RelayCode more={foot} />
  return (
    <Page align="middle" foot={foot.length > 0 && foot}>
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
