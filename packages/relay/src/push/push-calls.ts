// The calls by which a device learns the relay's key and leaves its subscription.
import { type Clock, CodedError, relayFixedLimits } from '@postern/protocol'
import type { CallAnswer, CallRequest } from '@postern/protocol/relay'
import type { Rates } from '../limits/rates.ts'
import type { DeviceClaim } from '../store/fence.ts'
import type { RelayStore } from '../store/relay-store.ts'
import type { PushDesk } from './push-desk.ts'

type Parts = {
  readonly store: RelayStore
  /** Undefined at a relay that does not push. */
  readonly push: PushDesk | undefined
  readonly rates: Rates
  readonly clock: Clock
}
type Caller = { readonly device: DeviceClaim; readonly signal?: AbortSignal | undefined }

export async function getPushKey({ push }: Parts): Promise<CallAnswer<'pushKey'>> {
  return { key: push && (await push.keys.get()).publicKey }
}

export async function setPush(
  { store, push, rates, clock }: Parts,
  { device, signal }: Caller,
  request: CallRequest<'setPush'>,
): Promise<CallAnswer<'setPush'>> {
  if (!push) throw new CodedError('push-off')
  const max = relayFixedLimits.subscriptionsSetPerMinute
  rates.charge(`push ${device.account}`, { count: 1, max, what: 'push subscriptions' })
  const rule = push.hosts.refusalOf(request.endpoint)
  if (rule !== undefined) throw new CodedError('push-endpoint', { rule })
  await store.push.set(device, { ...request, nowMs: clock.nowMs() }, signal)
  return {}
}

export async function clearPush({ store }: Parts, { device, signal }: Caller): Promise<CallAnswer<'clearPush'>> {
  await store.push.clear(device.device, signal)
  return {}
}
