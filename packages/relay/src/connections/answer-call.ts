// The table of calls: which operation answers which.
import type { CallAnswer, CallName, CallRequest } from '@postern/protocol/relay'
import { handOutKeyPackages, publishKeyPackages } from '../accounts/key-packages.ts'
import { getProfile } from '../accounts/profiles.ts'
import { beginBlob, deleteBlob } from '../blobs/blobs.ts'
import type { RelayContext } from '../context.ts'
import { appendEnvelope, type EnvelopeCaller } from '../groups/append-envelope.ts'
import { commitEnvelope } from '../groups/commit-envelope.ts'

/** Calls that concern the connection itself are answered by its session. */
type Answered = Exclude<CallName, 'authenticate' | 'follow' | 'followChained' | 'deleteAccount'>
type Operation<Name extends CallName> = (
  parts: RelayContext,
  caller: EnvelopeCaller,
  request: CallRequest<Name>,
) => Promise<CallAnswer<Name>>

const operations: { [Name in Answered]: Operation<Name> } = {
  ping: async ({ clock }) => ({ nowMs: clock.nowMs() }),
  publishKeyPackages: (parts, { account }, request) => publishKeyPackages(parts, account, request),
  takeKeyPackages: (parts, { account }, request) => handOutKeyPackages(parts, account, request),
  putProfile: ({ store, clock }, { account }, profile) =>
    store.putProfile(account, { ...profile, nowMs: clock.nowMs() }),
  getProfile: (parts, _caller, request) => getProfile(parts, request),
  createGroup: async ({ store, clock }, { account: creator }, { group, continues }) => ({
    created: (await store.createGroup(group, { creator, continues, nowMs: clock.nowMs() })) === 'created',
  }),
  getGroup: ({ store }, { account }, { group }) => store.getGroup(group, account),
  append: appendEnvelope,
  commit: commitEnvelope,
  outcome: ({ store }, { account }, { group, message }) => store.outcome(message, { group, by: account }),
  beginBlob: (parts, { account }, request) => beginBlob(parts, account, request),
  beginLimitedBlob: (parts, { account }, request) => beginBlob(parts, account, request),
  deleteBlob: (parts, { account }, request) => deleteBlob(parts, account, request),
  mailboxEnd: async ({ store, clock }, { account }) => {
    // The time first: what is accepted while the head is looked up is not before it.
    const nowMs = clock.nowMs()
    return { nowMs, head: await store.mailboxHead(account) }
  },
}

export function answerCall<Name extends Answered>(
  parts: RelayContext,
  caller: EnvelopeCaller,
  call: { name: Name; request: CallRequest<Name> },
): Promise<CallAnswer<Name>> {
  return operations[call.name](parts, caller, call.request)
}
