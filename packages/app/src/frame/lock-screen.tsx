// The locked app: asks for the passphrase, and leads to the other ways for a person who has forgotten it.
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import { lengthOf } from '../i18n/sizes.ts'
import { inBackground } from '../link/background.ts'
import { call } from '../link/link.ts'
import { closeNamed } from '../notifications/show-notification.ts'
import { Button } from '../parts/fields/button.tsx'
import { partsWords } from '../parts/words.ts'
import { lockWords } from './lock-words.ts'
import { OneFieldForm, refusalOf } from './one-field-form.tsx'
import { FailureScreen } from './startup-failure.tsx'

const SECOND_MS = 1000

/** Those that were shown before the lock may have words. */
async function closeNotifications(): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration()
  if (registration) await closeNamed(registration)
}

export function LockScreen({ waitMs }: { waitMs: number }): VNode {
  const isForgotten = useSignal(false)
  useEffect(() => inBackground(closeNotifications(), 'notifications stay'), [])
  const forget = (): void => void (isForgotten.value = true)
  if (isForgotten.value) return <FailureScreen why="forgotten" onBack={() => void (isForgotten.value = false)} />
  return <PassphraseForm waitMs={waitMs} onForgot={forget} />
}

/** Counts down from the wait that the worker has stated. */
function useLeftMs(waitMs: number): number {
  const leftMs = useSignal(waitMs)
  useEffect(() => {
    const endMs = performance.now() + waitMs
    leftMs.value = waitMs
    const timer = setInterval(() => void (leftMs.value = Math.max(0, endMs - performance.now())), SECOND_MS / 2)
    return () => clearInterval(timer)
  }, [waitMs])
  return leftMs.value
}

function PassphraseForm({ waitMs, onForgot }: { waitMs: number; onForgot: () => void }): VNode {
  const w = lockWords.value
  const leftMs = useLeftMs(waitMs)
  const faultOf = async (passphrase: string): Promise<string | undefined> =>
    passphrase === '' ? w.empty : await refusalOf(call('unlock', { passphrase }))
  const forgotten = (
    <Button kind="quiet" onClick={onForgot}>
      {w.forgot}
    </Button>
  )
  return (
    <OneFieldForm
      icon="lock"
      title={w.title}
      label={w.passphrase}
      isSecret
      act={w.unlock}
      whileBusy={partsWords.value.someSeconds}
      hindrance={leftMs > 0 ? w.wait(lengthOf(leftMs)) : undefined}
      faultOf={faultOf}
      more={forgotten}
    />
  )
}
