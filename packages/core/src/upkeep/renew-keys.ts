// New keys for this account's leaf, group by group: what a thief of older keys could read ends here. Never while words wait.
import { clientLimits, type Deadline, type GroupId } from '@postern/protocol'
import { type ChatGroup, chatsToRenew } from '../chats/records/chats-by-group.ts'
import type { Core } from '../context.ts'
import { type CommitContext, commitToGroup } from '../groups/commit-group.ts'
import { isRenewalDue } from '../groups/group-records.ts'

/** A bounded round: those that are not done are found again in the next. */
export const dueRenewals = ({ store, elapsed }: Pick<Core, 'store' | 'elapsed'>): ChatGroup[] =>
  chatsToRenew(store, { nowMs: elapsed.nowMs(), limit: clientLimits.renewKeysPerRound })

export async function renewKeys(
  core: CommitContext & Pick<Core, 'sendSlots' | 'elapsed'>,
  group: GroupId,
  deadline: Deadline,
): Promise<void> {
  // Whoever is sending now would wait for it: it is no matter of minutes.
  if (core.sendSlots.reserved(group) > 0) return
  const isDue = () => isRenewalDue(core.store, group, core.elapsed.nowMs())
  await commitToGroup(core, group, { intent: () => (isDue() ? {} : 'satisfied'), deadline })
}
