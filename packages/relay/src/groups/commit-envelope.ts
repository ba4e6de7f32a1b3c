// A commit: it wins its epoch or is told where the group stands.
import { CodedError } from '@postern/protocol'
import { type CallRequest, readEnvelopeHeader, type Verdict } from '@postern/protocol/relay'
import { type Caller, type EnvelopeParts, messageIdOf } from './append-envelope.ts'

/** Not async: see appendEnvelope. */
export function commitEnvelope(
  { store, clock }: EnvelopeParts,
  { account: sender, fence }: Caller,
  request: CallRequest<'commit'>,
): Promise<Verdict> {
  const header = readEnvelopeHeader(request.payload)
  if (header.kind !== 'commit')
    throw new CodedError('bad-field', { field: 'payload', rule: 'a message goes by the call "append"' })
  const { group, epoch } = header
  const message = messageIdOf(request.payload)
  return store.commit({ ...request, group, epoch, sender, message, nowMs: clock.nowMs(), fence })
}
