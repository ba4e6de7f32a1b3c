// Publishes the caller's key packages and hands out those of other accounts.
import { type AccountId, type Clock, CodedError } from '@postern/protocol'
import type { CallAnswer, CallRequest } from '@postern/protocol/relay'
import type { Rates } from '../limits/rates.ts'
import type { RelayLimits } from '../limits/relay-limits.ts'
import type { RelayStore } from '../store/relay-store.ts'

type PublishParts = { readonly store: RelayStore; readonly clock: Clock }
/** `signal`: its connection is closed. */
type Caller = { readonly account: AccountId; readonly signal?: AbortSignal | undefined }
type HandOutParts = PublishParts & { readonly rates: Rates; readonly limits: RelayLimits }

export async function publishKeyPackages(
  { store, clock }: PublishParts,
  { account, signal }: Caller,
  request: CallRequest<'publishKeyPackages'>,
): Promise<CallAnswer<'publishKeyPackages'>> {
  return { keyPackages: await store.publishKeyPackages(account, { ...request, nowMs: clock.nowMs() }, signal) }
}

export async function handOutKeyPackages(
  { store, rates, limits, clock }: HandOutParts,
  { account: taker, signal }: Caller,
  { accounts }: CallRequest<'takeKeyPackages'>,
): Promise<CallAnswer<'takeKeyPackages'>> {
  if (new Set(accounts).size !== accounts.length)
    throw new CodedError('bad-field', { field: 'accounts', rule: 'must not name an account twice' })
  const what = 'key packages taken'
  rates.charge(`take ${taker}`, { count: accounts.length, max: limits.takesPerMinute, what })
  for (const account of accounts)
    rates.charge(`take ${taker} ${account}`, { count: 1, max: limits.takesPerTargetPerMinute, what })
  // Check first: a list with one name that cannot be served must not use up the others' packages.
  for (const account of accounts)
    if (!(await store.hasKeyPackage(account, signal))) throw new CodedError('key-package-missing', { account })
  const nowMs = clock.nowMs()
  const taken = await Promise.all(
    accounts.map(async account => {
      const key = await store.handOutKeyPackage(account, nowMs, signal)
      if (!key) throw new CodedError('key-package-missing', { account })
      return { account, ...key }
    }),
  )
  return { taken }
}
