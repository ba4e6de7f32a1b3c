// Another device has opened the account: this one waits until the person takes it back, or erases its data.
import type { VNode } from 'preact'
import { call } from '../link/link.ts'
import { confirm } from '../parts/dialogs/dialogs.tsx'
import { Button } from '../parts/fields/button.tsx'
import { Page, PageText } from '../parts/page.tsx'
import './startup-failure.css'
import { Logo } from '../parts/icons/logo.tsx'
import { frameWords } from './words.ts'

async function eraseHere(): Promise<void> {
  const w = frameWords.value
  const yes = await confirm({
    title: w.eraseTitle,
    text: w.eraseText,
    yes: w.eraseHere,
    tone: 'danger',
    icon: 'triangle-alert',
  })
  if (yes) await call('removeAccount', {})
}

export function Elsewhere(): VNode {
  const w = frameWords.value
  const ways = (
    <>
      <Button onClick={() => call('useHere', {})}>{w.useHere}</Button>
      <Button kind="quiet" onClick={eraseHere}>
        {w.eraseHere}
      </Button>
    </>
  )
  return (
    <Page align="middle" foot={ways}>
      <Logo size={56} />
      <h1 class="failure-title">{w.elsewhereTitle}</h1>
      <PageText>{w.elsewhereText}</PageText>
    </Page>
  )
}
