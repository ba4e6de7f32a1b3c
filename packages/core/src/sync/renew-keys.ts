// New keys for this account's leaf, group by group: what a thief of older keys could read ends here. Never while words wait.
import { type ChatId, clientLimits, type Deadline, type GroupId } from '@postern/protocol'
import type { Core } from '../context.ts'
import { commitToGroup } from '../groups/commit-group.ts'

type Due = { group: GroupId; chat: ChatId }

/** A bounded round: those that are not done are found again in the next. */
export const dueRenewals = (core: Core): Due[] =>
  core.store.all<Due>(
    `SELECT mls_group.id AS "group", chat.id AS chat FROM mls_group CROSS JOIN chat
       ON chat.id = mls_group.chat_id AND chat.group_id = mls_group.id
     WHERE mls_group.status = 'open' AND mls_group.renew_at_ms <= ? AND chat.state = 'active' AND chat.visible = 1
     ORDER BY mls_group.renew_at_ms LIMIT ?`,
    core.passed.nowMs(),
    clientLimits.renewKeysPerRound,
  )

export async function renewKeys(core: Core, { group }: Due, deadline: Deadline): Promise<void> {
  // Whoever is sending now would wait for it: it is no matter of minutes.
  if (core.places.taken(group) > 0) return
  const isDue = () =>
    core.store.get('SELECT 1 FROM mls_group WHERE id = ? AND renew_at_ms <= ?', group, core.passed.nowMs()) !==
    undefined
  await commitToGroup(core, group, { intent: () => (isDue() ? {} : 'satisfied'), deadline })
}
