// What it means when a call to the relay fails: nobody answered, its storage failed, or it said no.
import { CodedError, type Deadline, isCoded } from '@postern/protocol'
import type { RelayLink } from './relay-link.ts'

/** The same may be asked again, over the next connection. */
export const isUnanswered = (error: unknown): boolean =>
  isCoded(error, 'relay-unreachable', 'send-in-doubt', 'relay-stopping')

/** It has not judged what it was asked, and says nothing about an earlier try. */
export const isStorageFault = (error: unknown): boolean =>
  isCoded(error, 'relay-full', 'relay-failing', 'storage-failed', 'internal')

/** The relay said no, and will say it again: it is in no log. */
export const isRefusal = (error: unknown): boolean =>
  isCoded(error) && !isUnanswered(error) && error.code !== 'stopping'

/** Something may be with the relay already: whoever cannot reach it any more is in doubt. */
export async function onlineAgain({ link }: { link: RelayLink }, deadline: Deadline): Promise<void> {
  try {
    await link.whenOnline(deadline.leftMs())
  } catch (error) {
    throw new CodedError('send-in-doubt', {}, { cause: error })
  }
}
