// Profiles: encrypted by their account, versioned, one at a time.
import { CodedError } from '@postern/protocol'
import type { CallAnswer, CallRequest } from '@postern/protocol/relay'
import type { RelayStore } from '../store/relay-store.ts'

export async function getProfile(
  { store }: { readonly store: RelayStore },
  { account }: CallRequest<'getProfile'>,
  signal?: AbortSignal,
): Promise<CallAnswer<'getProfile'>> {
  const profile = await store.getProfile(account, signal)
  if (!profile) throw new CodedError('account-not-found', { account })
  return profile
}
