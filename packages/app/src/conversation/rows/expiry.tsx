// A disappearing message: its remaining time, and its last minute, in which it fades.
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import { timeLeft } from '../../i18n/time-left.ts'
import { Icon } from '../../parts/icons/icon.tsx'
import { conversationWords } from '../words.ts'
import { lookAgainMs } from './expiry-steps.ts'

/** The remaining time, updated when its text changes. */
export function useLeftMs(expiresTs: number | undefined): number | undefined {
  const now = useSignal(Date.now())
  useEffect(() => {
    if (expiresTs === undefined) return undefined
    const timer = setTimeout(
      () => {
        now.value = Date.now()
      },
      lookAgainMs(expiresTs - Date.now()),
    )
    return () => clearTimeout(timer)
  }, [expiresTs, now.value])
  return expiresTs === undefined ? undefined : Math.max(0, expiresTs - now.value)
}

export const Countdown = ({ leftMs }: { leftMs: number }): VNode => (
  <span class="bubble-countdown" title={conversationWords.value.disappearsIn(timeLeft(leftMs))}>
    <Icon name="timer" size={13} />
    <span aria-hidden="true">{timeLeft(leftMs)}</span>
    <span class="unseen">{conversationWords.value.disappearsIn(timeLeft(leftMs))}</span>
  </span>
)
