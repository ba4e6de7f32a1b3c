// A commit: it wins its epoch or is told where the group stands.
import { CodedError } from '@postern/protocol'
import { type CallRequest, type RelayVerdict, readEnvelopeHeader } from '@postern/protocol/relay'
import { type EnvelopeCaller, type EnvelopeParts, messageIdOf } from './append-envelope.ts'

/** Not async: see appendEnvelope. */
export function commitEnvelope(
  { store, clock }: EnvelopeParts,
  { account: sender, fence }: EnvelopeCaller,
  request: CallRequest<'commit'>,
): Promise<RelayVerdict> {
  const header = readEnvelopeHeader(request.payload)
  if (header.kind !== 'commit')
    throw new CodedError('bad-field', { field: 'payload', rule: 'must not be a message: use the call "append"' })
  const { group, epoch } = header
  const message = messageIdOf(request.payload)
  return store.commit({ ...request, group, epoch, sender, message, nowMs: clock.nowMs(), fence })
}
