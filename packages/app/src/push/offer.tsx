// Offers notifications once there is somebody to hear from, and explains them before the browser asks.
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Settings } from '../contract/settings.ts'
import { call, useView } from '../link/link.ts'
import { askUntilAnswered } from '../parts/ask-until.ts'
import { attempt, begin } from '../parts/attempt.ts'
import { Dialog, DialogText } from '../parts/dialogs/dialog.tsx'
import { ask } from '../parts/dialogs/dialogs.tsx'
import { Button, ButtonPair } from '../parts/fields/button.tsx'
import { Strip } from '../parts/strip.tsx'
import { allowNotifications } from './allow.ts'
import { Levels } from './levels.tsx'
import { hasExchange } from './offer-time.ts'
import { pushSupportOf } from './push-support.ts'
import { relayPushes } from './subscribe.ts'
import { pushWords } from './words.ts'

type Level = Settings['notify']

/** Something is offered at a time: `otherwise` is shown once this is not. */
export function OfferLine({ otherwise }: { otherwise: VNode }): VNode | null {
  const settings = useView('settings').value
  const chats = useView('chats').value ?? []
  const me = useView('me').value?.id ?? ''
  const messagesSent = useView('keeping').value?.messagesSent ?? 0
  if (!settings || !hasExchange({ messagesSent, chats, me })) return null
  if (!settings.offerNotifications || settings.notify === 'off') return otherwise
  return <Offer level={settings.notify} otherwise={otherwise} />
}

/** A relay without pushes has nothing to offer. */
function Offer({ level, otherwise }: { level: Level; otherwise: VNode }): VNode | null {
  /** Undefined until the relay has answered. */
  const isOffered = useSignal<boolean | undefined>(undefined)
  const support = pushSupportOf(globalThis)
  const isPossible = support === 'unasked' || support === 'home-screen'
  useEffect(() => {
    if (!isPossible) return undefined
    return askUntilAnswered(relayPushes, {
      answered: pushes => (isOffered.value = pushes),
      refused: () => (isOffered.value = false),
    })
  }, [isPossible])
  if (!isPossible || isOffered.value === false) return otherwise
  if (isOffered.value === undefined) return null
  const w = pushWords.value
  const open = () => begin(support === 'unasked' ? offer(level) : explainHomeScreen())
  return (
    <Strip icon="bell" tone="plain" action={{ word: w.offerAct, run: open }}>
      {w.offer}
    </Strip>
  )
}

const offerNoMore = (change: Partial<Settings> = {}) =>
  attempt(call('setSettings', { ...change, offerNotifications: false }))

async function offer(level: Level): Promise<void> {
  const chosen = await ask<Level | undefined>(answer => <OfferDialog level={level} answer={answer} />)
  await offerNoMore(chosen && { notify: chosen })
}

function OfferDialog({ level, answer }: { level: Level; answer: (level: Level | undefined) => void }): VNode {
  const w = pushWords.value
  const chosen = useSignal(level)
  const allow = async () => {
    await allowNotifications()
    answer(chosen.value)
  }
  return (
    <Dialog title={w.offerTitle} icon="bell" onClose={() => answer(undefined)}>
      <DialogText>{w.offerText}</DialogText>
      <Levels value={chosen.value} hasOff={false} onChange={next => (chosen.value = next)} />
      <ButtonPair>
        <Button kind="plain" autofocus onClick={() => answer(undefined)}>
          {w.notNow}
        </Button>
        <Button onClick={allow}>{w.allow}</Button>
      </ButtonPair>
    </Dialog>
  )
}

async function explainHomeScreen(): Promise<void> {
  const w = pushWords.value
  await ask<void>(answer => (
    <Dialog title={w.homeTitle} icon="bell" onClose={answer}>
      <DialogText>{w.homeText}</DialogText>
      <Button autofocus onClick={() => answer()}>
        {w.ok}
      </Button>
    </Dialog>
  ))
  await offerNoMore()
}
