// Renews the push subscription at each start, and whenever something changes that it depends on.
import { effect, signal } from '@preact/signals'
import { CallError } from '../contract/calls.ts'
import { defaultSettings, type Settings } from '../contract/settings.ts'
import type { Stage } from '../contract/stage.ts'
import { inBackground } from '../link/background.ts'
import { linkState, watch } from '../link/link.ts'
import { askUntilAnswered } from '../parts/ask-until.ts'
import { pushSupportOf } from './push-support.ts'
import { syncPush, unsubscribe } from './subscribe.ts'

const notify = signal<Settings['notify'] | undefined>(undefined)
const stage = signal<Stage['kind']>('starting')
const support = signal(pushSupportOf(globalThis))
/** Rises when the browser has ended the subscription. */
const renewals = signal(0)

/** The permission has changed: here, on another page, or in the settings of the browser. */
export function notePermission(): void {
  support.value = pushSupportOf(globalThis)
}

/** The account may have been closed between the stage and the call: the next stage ends the subscription. */
function refused(error: unknown): void {
  if (!(error instanceof CallError) || error.fault.code !== 'no-account') reportError(error)
}

/** One page does it for all. Nothing is subscribed without an account, nor on a device that the account has left. */
function follow(): (() => void) | undefined {
  const { leads, core } = linkState.value
  const wanted = { notify: notify.value ?? defaultSettings.notify }
  const isKnown = notify.value !== undefined && support.value !== undefined && renewals.value >= 0
  if (!leads || core !== 'talking') return undefined
  if (stage.value === 'open' && isKnown) return askUntilAnswered(() => syncPush(wanted), { refused })
  if (stage.value === 'no-account' || stage.value === 'elsewhere') inBackground(unsubscribe(), 'a subscription stays')
  return undefined
}

async function watchPermission(): Promise<void> {
  const permission = await navigator.permissions.query({ name: 'notifications' })
  permission.addEventListener('change', notePermission)
}

export function startPush(): void {
  if (!('serviceWorker' in navigator)) return
  watch('settings', [], settings => {
    notify.value = settings.notify
  })
  watch('stage', [], ({ kind }) => {
    stage.value = kind
  })
  effect(follow)
  if ('permissions' in navigator) inBackground(watchPermission(), 'changes of the permission are not noticed')
  navigator.serviceWorker.addEventListener('message', ({ data }: MessageEvent<{ kind?: string }>) => {
    if (data.kind === 'subscription-changed') renewals.value++
  })
}
