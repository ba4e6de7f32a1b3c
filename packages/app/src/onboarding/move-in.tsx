// An account comes from another device: by a code that is scanned or typed, and only after the person has seen whose it is.
import { toBase64Url } from '@postern/protocol'
import { type Signal, useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { AppCallAnswer } from '../contract/calls.ts'
import { call } from '../link/link.ts'
import { attempt, begin } from '../parts/attempt.ts'
import { Avatar } from '../parts/avatar/avatar.tsx'
import { Button } from '../parts/fields/button.tsx'
import { TextField } from '../parts/fields/text-field.tsx'
import { Icon } from '../parts/icons/icon.tsx'
import { Page, PageText } from '../parts/page.tsx'
import { QrScanner } from '../parts/qr/qr-scanner.tsx'
import { NameText } from '../parts/text/name-text.tsx'
import '../parts/icons/with-lazy-icons.ts'
import { askAgain } from './arrival.ts'
import './move-in.css'
import './onboarding.css'
import { onboardingWords } from './words.ts'

const TOKEN_BYTES = 32

type Asked = { code: string; fetchToken: string }
type Found = { asked: Asked; who: AppCallAnswer<'lookAtMove'> }

/** The relay gives the copy to one fetcher, and this token identifies it: for as long as the code is the same. */
const newAsked = (code: string): Asked => ({
  code,
  fetchToken: toBase64Url(crypto.getRandomValues(new Uint8Array(TOKEN_BYTES))),
})

export function MoveIn({ onBack }: { onBack: () => void }): VNode {
  const found = useSignal<Found | undefined>(undefined)
  if (found.value) return <IsItYours {...found.value} onBack={onBack} />
  return <AskForCode found={found} onBack={onBack} />
}

function AskForCode({ found, onBack }: { found: Signal<Found | undefined>; onBack: () => void }): VNode {
  const w = onboardingWords.value
  const code = useSignal('')
  const asked = useSignal<Asked | undefined>(undefined)
  const isBusy = useSignal(false)
  const look = async (text: string): Promise<void> => {
    if (isBusy.value) return
    isBusy.value = true
    code.value = text
    // A second try continues where the first was interrupted.
    if (asked.value?.code !== text) asked.value = newAsked(text)
    const answer = await attempt(call('lookAtMove', asked.value))
    isBusy.value = false
    if (answer) found.value = { asked: asked.value, who: answer.value }
  }
  return (
    <Page
      title={w.moveTitle}
      onBack={onBack}
      foot={
        <Button
          disabled={code.value.trim() === ''}
          busy={isBusy.value}
          whileBusy={w.moveFetching}
          onClick={() => begin(look(code.value.trim()))}
        >
          {w.moveNext}
        </Button>
      }
    >
      <PageText>{w.moveText}</PageText>
      <QrScanner onText={scanned => begin(look(scanned.trim()))} />
      <TextField
        label={w.moveCode}
        lines="several"
        value={code.value}
        onInput={value => void (code.value = value)}
        hint={w.moveCodeHint}
      />
    </Page>
  )
}

/** A person who moves into a stranger's account writes to friends as the stranger, and is read by the stranger. */
function IsItYours({ asked, who: { name, avatar }, onBack }: Found & { onBack: () => void }): VNode {
  const w = onboardingWords.value
  const moveIn = (): Promise<void> => {
    askAgain()
    return call('moveIn', asked)
  }
  return (
    <div class="onboarding">
      <Page
        align="middle"
        foot={
          <>
            <Button whileBusy={w.moving} onClick={moveIn}>
              {w.move}
            </Button>
            <Button kind="quiet" onClick={onBack}>
              {w.moveNo}
            </Button>
          </>
        }
      >
        <Avatar id={name} name={name} avatar={avatar} size="xl" />
        <div class="onboarding-who">
          <h1 class="onboarding-title">
            <NameText name={name} />
          </h1>
          <p class="onboarding-about">{w.moveIs}</p>
        </div>
        <div class="move-in-warning">
          <Icon name="triangle-alert" size={19} />
          <p>
            <strong>{w.moveOnlyOwn}</strong> {w.moveWhy}
          </p>
        </div>
      </Page>
    </div>
  )
}
