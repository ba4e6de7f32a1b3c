// Appends an entry together with its mark: whether it is for somebody's attention.
import { type Deadline, isCoded } from '@postern/protocol'
import type { CallRequest, RelayVerdict } from '@postern/protocol/relay'
import type { RelayLink } from './relay-link.ts'

export type EntryMark = Pick<CallRequest<'appendMarked'>, 'attention' | 'preview'>

/** For content that notifies nobody. */
export const unmarked: EntryMark = { attention: 'none', preview: undefined }

export type MarkedEntry = CallRequest<'append'> & { mark: EntryMark }

/**
 * A relay that is older than this program does not know marks. It is asked every time: if it were remembered, a later
 * message without a mark would overtake earlier ones that are about to be refused, and the others would lose their keys.
 */
export async function appendMarked(link: RelayLink, entry: MarkedEntry, deadline: Deadline): Promise<RelayVerdict> {
  const { mark, ...request } = entry
  try {
    return await link.call('appendMarked', { ...request, ...mark }, deadline.leftMs())
  } catch (error) {
    if (!isCoded(error, 'frame-malformed')) throw error
    return await link.call('append', request, deadline.leftMs())
  }
}
