// The last check before a message is encrypted: the keys of the chat must be those of the people who are shown.
import type { AccountId, ChatId } from '@postern/protocol'
import { judgeBy, sameAccounts, type Verdict } from './verdict.ts'

type Keys = { chat: ChatId; members: readonly AccountId[] }
type Shown = { chat: ChatId; type: 'private' | 'group'; members: readonly AccountId[] }

export function judgeSending(keys: Keys, shown: Shown): Verdict {
  const isPairBroken = shown.type === 'private' && keys.members.length !== 2
  return judgeBy(
    [keys.chat !== shown.chat, 'other-chat'],
    [isPairBroken, 'not-the-two'],
    [!sameAccounts(keys.members, shown.members), 'other-members'],
  )
}
