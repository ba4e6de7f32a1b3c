// The table of calls: which operation answers which.
import type { CallAnswer, CallName, CallRequest } from '@postern/protocol/relay'
import { handOutKeyPackages, publishKeyPackages } from '../accounts/key-packages.ts'
import { getProfile } from '../accounts/profiles.ts'
import { beginBlob, deleteBlob } from '../blobs/blobs.ts'
import type { RelayContext } from '../context.ts'
import { appendEnvelope, type EnvelopeCaller } from '../groups/append-envelope.ts'
import { commitEnvelope } from '../groups/commit-envelope.ts'
import { clearPush, getPushKey, setPush } from '../push/push-calls.ts'
import type { DeviceClaim } from '../store/fence.ts'

/** The session answers calls that concern the connection itself. */
type Answered = Exclude<CallName, 'authenticate' | 'follow' | 'followChained' | 'followEphemeral' | 'deleteAccount'>
/** `signal` is aborted when the connection is closed: requests that the store has not begun by then are dropped. */
type Caller = EnvelopeCaller & { readonly device: DeviceClaim; readonly signal?: AbortSignal | undefined }
type Operation<Name extends CallName> = (
  parts: RelayContext,
  caller: Caller,
  request: CallRequest<Name>,
) => Promise<CallAnswer<Name>>

const operations: { [Name in Answered]: Operation<Name> } = {
  ping: async ({ clock }) => ({ nowMs: clock.nowMs() }),
  publishKeyPackages,
  takeKeyPackages: handOutKeyPackages,
  putProfile: ({ store, clock }, { account, signal }, profile) =>
    store.putProfile(account, { ...profile, nowMs: clock.nowMs() }, signal),
  getProfile: (parts, { signal }, request) => getProfile(parts, request, signal),
  createGroup: async ({ store, clock }, { account: creator }, { group, continues }) => ({
    created: (await store.createGroup(group, { creator, continues, nowMs: clock.nowMs() })) === 'created',
  }),
  getGroup: ({ store }, { account, signal }, { group }) => store.getGroup(group, account, signal),
  append: appendEnvelope,
  appendMarked: appendEnvelope,
  commit: commitEnvelope,
  outcome: ({ store }, { account, signal }, { group, message }) =>
    store.outcome(message, { group, by: account }, signal),
  pushKey: getPushKey,
  setPush,
  clearPush,
  sendEphemeral: ({ ephemeral }, caller, request) => ephemeral.send(caller, request),
  newPeopleLeft: async ({ store, clock }, { account, signal }) => ({
    left: await store.newPeopleLeft(account, clock.nowMs(), signal),
  }),
  beginBlob,
  beginLimitedBlob: beginBlob,
  deleteBlob: (parts, { account }, request) => deleteBlob(parts, account, request),
  mailboxEnd: async ({ store, clock }, { account, signal }) => {
    // Read the time first: entries accepted during the lookup of the head must not be before it.
    const nowMs = clock.nowMs()
    return { nowMs, head: await store.mailboxHead(account, signal && { signal }) }
  },
}

/** Such calls reach the log in the order of their arrival. */
export const isEnvelope = (name: CallName): name is 'append' | 'appendMarked' | 'commit' =>
  name === 'append' || name === 'appendMarked' || name === 'commit'

export function answerCall<Name extends Answered>(
  parts: RelayContext,
  caller: Caller,
  call: { name: Name; request: CallRequest<Name> },
): Promise<CallAnswer<Name>> {
  return operations[call.name](parts, caller, call.request)
}
