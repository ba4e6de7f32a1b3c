// Keeps the browser's push subscription as the person wants it, and tells the relay about it.
import { CallError } from '../contract/calls.ts'
import type { NoPushReason, Settings } from '../contract/settings.ts'
import { call } from '../link/link.ts'
import { pushSupportOf } from './push-support.ts'

/** Undefined until a service worker is installed: without one there is nothing to subscribe. */
const registered = async (): Promise<ServiceWorkerRegistration | undefined> =>
  await navigator.serviceWorker?.getRegistration()

/** Whether the relay sends pushes at all. Rejects while that is unknown. */
export const relayPushes = async (): Promise<boolean> => (await call('pushKey', {})).key !== undefined

/** Rejects if the relay cannot be reached: to be tried again. */
export async function syncPush({ notify }: Pick<Settings, 'notify'>): Promise<void> {
  if (notify === 'off' || pushSupportOf(globalThis) !== 'granted') return await turnOff('off')
  const { key } = await call('pushKey', {})
  if (!key) return await turnOff('relay-off')
  const subscription = await subscribed(key)
  if (!subscription) return await turnOff('refused')
  try {
    await call('setPush', { address: addressOf(subscription) })
  } catch (error) {
    if (!(error instanceof CallError) || !error.fault.code.startsWith('push-')) throw error
    return await turnOff('refused')
  }
}

async function turnOff(reason: NoPushReason): Promise<void> {
  await unsubscribe()
  await call('setPush', { reason })
}

/** Pushes that still wait at the push service are not delivered any more. */
export async function unsubscribe(): Promise<void> {
  const subscription = await (await registered())?.pushManager?.getSubscription()
  await subscription?.unsubscribe()
}

/** Undefined in a browser that has no push service, or cannot reach it. */
async function subscribed(key: Uint8Array): Promise<PushSubscription | undefined> {
  const { pushManager } = await navigator.serviceWorker.ready
  const applicationServerKey = new Uint8Array(key)
  const known = await pushManager.getSubscription()
  if (known && isFor(known, applicationServerKey)) return known
  // The relay has other keys since: a subscription belongs to one key.
  await known?.unsubscribe()
  try {
    return await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey })
  } catch {
    return undefined
  }
}

function isFor({ options }: PushSubscription, key: Uint8Array): boolean {
  const own = options.applicationServerKey
  return own !== null && new Uint8Array(own).join() === key.join()
}

function addressOf(subscription: PushSubscription) {
  const keyOf = (name: PushEncryptionKeyName) => new Uint8Array(subscription.getKey(name) ?? new ArrayBuffer(0))
  return { endpoint: subscription.endpoint, p256dh: keyOf('p256dh'), auth: keyOf('auth') }
}
