// The mark that its sender shares with everyone in an epoch of a group: another mark means another history.

import { applyMark } from '../fork-detection/compare-marks.ts'
import type { EpochMark } from '../groups/epoch-marks.ts'
import { ignored } from '../messages/outcome.ts'
import type { Kind } from './kind.ts'

export const compare = {
  way: 'between clients',
  body: (_core, _chat, mark) => ({ kind: 'compare', ...mark }),
  apply: (core, database, { chat, sender, ts, body }) => {
    // In a group, one message would set all members to work.
    if (chat.type !== 'private') return ignored('not a private chat')
    return applyMark(core, database, { from: sender, ts, mark: body })
  },
} satisfies Kind<'compare', EpochMark>
