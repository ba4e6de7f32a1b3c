// With an account: the chat of the link by which somebody came is opened at once.
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import { CallError } from '../contract/calls.ts'
import { call } from '../link/link.ts'
import { begin } from '../parts/attempt.ts'
import { Button } from '../parts/button.tsx'
import { faultWordsOf } from '../parts/fault-words.ts'
import { Page, PageText } from '../parts/page.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { go } from '../router.ts'
import { forgetArrival } from './arrival.ts'
import './onboarding.css'
import { onboardingWords } from './words.ts'

const wordsOf = (error: unknown): Promise<string> =>
  faultWordsOf(error instanceof CallError ? error.fault : { code: 'internal', message: '' })

export function OpenInvite({ link }: { link: string }): VNode {
  const w = onboardingWords.value
  const fault = useSignal<string | undefined>(undefined)
  const open = async (): Promise<void> => {
    fault.value = undefined
    try {
      const { chat } = await call('openInvite', { link })
      // The list below it: whoever goes back from the first chat stays in the app.
      go({ screen: 'chats' }, 'replace')
      go({ screen: 'chat', chat })
      forgetArrival()
    } catch (error) {
      fault.value = await wordsOf(error)
    }
  }
  useEffect(() => begin(open()), [])
  if (fault.value === undefined)
    return (
      <Page align="middle">
        <Spinner />
        <p role="status">{w.opening}</p>
      </Page>
    )
  return (
    <Page
      align="middle"
      foot={
        <>
          <Button onClick={open}>{w.again}</Button>
          <Button kind="quiet" onClick={forgetArrival}>
            {w.notNow}
          </Button>
        </>
      }
    >
      <h1 class="onboarding-title">{w.notOpened}</h1>
      <PageText>{fault.value}</PageText>
    </Page>
  )
}
