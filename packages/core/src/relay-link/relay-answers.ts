// Classifies failed calls to the relay: no answer, a fault of its storage, or a refusal.
import { CodedError, type Deadline, isCoded } from '@postern/protocol'
import type { RelayLink } from './relay-link.ts'

/** The same call may be repeated over the next connection. */
export const isUnanswered = (error: unknown): boolean =>
  isCoded(error, 'relay-unreachable', 'send-in-doubt', 'relay-stopping')

/** The relay has not judged the call, and says nothing about an earlier try. */
export const isStorageFault = (error: unknown): boolean =>
  isCoded(error, 'relay-full', 'relay-failing', 'storage-failed', 'internal')

/** The relay refused, and will refuse again: it is in no log. */
export const isRefusal = (error: unknown): boolean =>
  isCoded(error) && !isUnanswered(error) && error.code !== 'stopping'

/** The relay may already have it: a caller that cannot reach the relay any more is in doubt. */
export async function onlineAgain({ link }: { link: RelayLink }, deadline: Deadline): Promise<void> {
  try {
    await link.whenOnline(deadline.leftMs())
  } catch (error) {
    throw new CodedError('send-in-doubt', {}, { cause: error })
  }
}
