// A person with an account came by an invite link. Any website can lead here: nothing happens before the person presses.
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import { CallError } from '../contract/calls.ts'
import { call } from '../link/link.ts'
import { begin } from '../parts/attempt.ts'
import { faultWordsOf } from '../parts/fault-words.ts'
import { Button } from '../parts/fields/button.tsx'
import { Page, PageText } from '../parts/page.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { fromHere, go } from '../router.ts'
import { type Arrival, agree, forgetArrival, isToGroup } from './arrival.ts'
import './onboarding.css'
import { startWord, useInviter, WhatTheyLearn, WhoInvites } from './who-invites.tsx'
import { onboardingWords } from './words.ts'

/** If another page opens this one during a double click, the second click must not count here. */
const PRESSES_COUNT_AFTER_MS = 500

export function OpenInvite({ arrived }: { arrived: Arrival }): VNode {
  return arrived.agreed ? <Opening {...arrived} /> : <AskFirst link={arrived.link} />
}

function AskFirst({ link }: { link: string }): VNode {
  const inviter = useInviter(link).value
  const isReady = useSignal(false)
  useEffect(() => {
    const timer = setTimeout(() => {
      isReady.value = true
    }, PRESSES_COUNT_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div class="onboarding">
      <Page
        align="middle"
        foot={
          <>
            <Button disabled={!isReady.value} onClick={agree}>
              {startWord(inviter, link)}
            </Button>
            <Button kind="quiet" onClick={forgetArrival}>
              {onboardingWords.value.notNow}
            </Button>
          </>
        }
      >
        <WhoInvites inviter={inviter} link={link} />
        <WhatTheyLearn inviter={inviter} link={link} whose="own" />
      </Page>
    </div>
  )
}

const wordsOf = (error: unknown): Promise<string> =>
  faultWordsOf(error instanceof CallError ? error.fault : { code: 'internal', message: '' })

function Opening({ link, press }: { link: string; press: string }): VNode {
  const w = onboardingWords.value
  const isGroup = isToGroup(link)
  const fault = useSignal<string | undefined>(undefined)
  const asked = useSignal<'waiting' | 'declined' | undefined>(undefined)
  const open = async (): Promise<void> => {
    fault.value = undefined
    const whenHere = fromHere()
    try {
      if (isGroup) {
        asked.value = (await call('askToJoin', { link })).state
        return
      }
      const { chat } = await call('openInvite', { link, press })
      whenHere(() => {
        // The list below the first chat keeps a person who goes back in the app.
        go({ screen: 'chats' }, 'replace')
        go({ screen: 'chat', chat })
      })
      forgetArrival()
    } catch (error) {
      fault.value = await wordsOf(error)
    }
  }
  useEffect(() => begin(open()), [])
  if (asked.value) return <Asked state={asked.value} />
  if (fault.value === undefined)
    return (
      <Page align="middle">
        <Spinner />
        <p role="status">{isGroup ? w.asking : w.opening}</p>
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
      <h1 class="onboarding-title">{isGroup ? w.notAsked : w.notOpened}</h1>
      <PageText>{fault.value}</PageText>
    </Page>
  )
}

/** Stays until the person has read it: nothing else in the app changes before the admin decides. */
function Asked({ state }: { state: 'waiting' | 'declined' }): VNode {
  const w = onboardingWords.value
  return (
    <Page align="middle" foot={<Button onClick={forgetArrival}>{w.done}</Button>}>
      <h1 class="onboarding-title">{state === 'waiting' ? w.asked : w.declined}</h1>
      <PageText>{state === 'waiting' ? w.askedText : w.declinedText}</PageText>
    </Page>
  )
}
