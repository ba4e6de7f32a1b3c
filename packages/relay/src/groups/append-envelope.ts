// A message, a direct message or a farewell: checked as far as it stands in clear, then appended to its group's log.
import { createHash } from 'node:crypto'
import { type AccountId, type Clock, CodedError, type MessageId, messageIdFromHash } from '@postern/protocol'
import { type CallRequest, type EnvelopeHeader, type RelayVerdict, readEnvelopeHeader } from '@postern/protocol/relay'
import type { Fence } from '../store/fence.ts'
import type { EnvelopeDelivery, RelayStore } from '../store/relay-store.ts'

/** Whose connection it came by. */
export type EnvelopeCaller = { readonly account: AccountId; readonly fence: Fence | undefined }

export type EnvelopeParts = { readonly store: RelayStore; readonly clock: Clock }

/** Not async: appends of one connection reach the store in the order of their arrival. */
export function appendEnvelope(
  { store, clock }: EnvelopeParts,
  { account: sender, fence }: EnvelopeCaller,
  request: CallRequest<'append'>,
): Promise<RelayVerdict> {
  const { payload } = request
  const header = readEnvelopeHeader(payload)
  const delivery = deliveryOf(header, request)
  const { group, epoch } = header
  const message = messageIdOf(payload)
  return store.append({ group, epoch, sender, message, payload, delivery, nowMs: clock.nowMs(), fence })
}

function deliveryOf(header: EnvelopeHeader, { to, leave }: CallRequest<'append'>): EnvelopeDelivery {
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

/** Computed here from the ciphertext: nobody chooses an id. */
export const messageIdOf = (payload: Uint8Array): MessageId =>
  messageIdFromHash(createHash('sha256').update(payload).digest())
