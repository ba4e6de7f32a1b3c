// Appends a message, a direct message or a farewell to its group's log, after checks of its cleartext header.
import { createHash } from 'node:crypto'
import { type AccountId, type Clock, CodedError, type MessageId, messageIdFromHash } from '@postern/protocol'
import { type CallRequest, type EnvelopeHeader, type RelayVerdict, readEnvelopeHeader } from '@postern/protocol/relay'
import type { Fence } from '../store/fence.ts'
import type { AttentionMark } from '../store/push-store.ts'
import type { EnvelopeDelivery, RelayStore } from '../store/relay-store.ts'

/** The account and fence of the connection that sent the envelope. */
export type EnvelopeCaller = { readonly account: AccountId; readonly fence: Fence | undefined }

/** `push`: absent at a relay that does not push, which then keeps no marks either. */
export type EnvelopeParts = { readonly store: RelayStore; readonly clock: Clock; readonly push?: object | undefined }
type AppendRequest = CallRequest<'append'> & Partial<CallRequest<'appendMarked'>>

/** Not async: appends of one connection must reach the store in the order of their arrival. */
export function appendEnvelope(
  { store, clock, push }: EnvelopeParts,
  { account: sender, fence }: EnvelopeCaller,
  request: AppendRequest,
): Promise<RelayVerdict> {
  const { payload } = request
  const header = readEnvelopeHeader(payload)
  const delivery = deliveryOf(header, request)
  const attention = push && attentionOf(request)
  const { group, epoch } = header
  const message = messageIdOf(payload)
  return store.append({ group, epoch, sender, message, payload, delivery, attention, nowMs: clock.nowMs(), fence })
}

function attentionOf({ attention = 'none', preview, leave }: AppendRequest): AttentionMark | undefined {
  if (attention === 'none' && preview)
    throw new CodedError('bad-field', { field: 'preview', rule: 'must be absent from a message for no attention' })
  if (attention === 'none') return undefined
  if (leave) throw new CodedError('bad-field', { field: 'attention', rule: 'must be "none" for a farewell' })
  return { kind: attention, preview }
}

function deliveryOf(header: EnvelopeHeader, { to, leave }: AppendRequest): EnvelopeDelivery {
  if (header.kind === 'commit')
    throw new CodedError('bad-field', { field: 'payload', rule: 'must not be a commit: use the call "commit"' })
  if ((header.kind === 'direct') !== (to !== undefined))
    throw new CodedError('bad-field', {
      field: 'to',
      rule: 'must be present for a direct message and absent otherwise',
    })
  if (to === undefined) return { kind: leave ? 'leave' : 'message' }
  if (leave) throw new CodedError('bad-field', { field: 'leave', rule: 'must be absent for a direct message' })
  return { kind: 'direct', to }
}

/** The relay computes the id from the ciphertext, so no sender can choose one. */
export const messageIdOf = (payload: Uint8Array): MessageId =>
  messageIdFromHash(createHash('sha256').update(payload).digest())
