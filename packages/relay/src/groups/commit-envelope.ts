// Commits an envelope: it wins its epoch, or the sender learns the group's current position.
import { CodedError } from '@postern/protocol'
import { type CallRequest, type RelayVerdict, readEnvelopeHeader } from '@postern/protocol/relay'
import { type EnvelopeCaller, type EnvelopeParts, messageIdOf } from './append-envelope.ts'

/** Not async, for the same reason as `appendEnvelope`. */
export function commitEnvelope(
  { store, clock, push }: EnvelopeParts,
  { account: sender, fence }: EnvelopeCaller,
  request: CallRequest<'commit'>,
): Promise<RelayVerdict> {
  const header = readEnvelopeHeader(request.payload)
  if (header.kind !== 'commit')
    throw new CodedError('bad-field', { field: 'payload', rule: 'must not be a message: use the call "append"' })
  const { group, epoch } = header
  const message = messageIdOf(request.payload)
  const isForAttention = push !== undefined
  return store.commit({ ...request, isForAttention, group, epoch, sender, message, nowMs: clock.nowMs(), fence })
}
