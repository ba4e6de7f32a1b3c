// Renews the keys of this account's leaf, group by group:
// a thief of older keys can read nothing from here on. Never while messages wait.
import { clientLimits, type Deadline, type GroupId } from '@postern/protocol'
import { type ChatGroup, chatsToRenew } from '../chats/records/chats-by-group.ts'
import type { Core } from '../context.ts'
import { type CommitContext, commitToGroup } from '../groups/commit-group.ts'
import { isRenewalDue } from '../groups/group-records.ts'

/** A bounded round: the next one finds the rest. */
export const dueRenewals = ({ store, elapsed }: Pick<Core, 'store' | 'elapsed'>): ChatGroup[] =>
  chatsToRenew(store, { nowMs: elapsed.nowMs(), limit: clientLimits.renewKeysPerRound })

export async function renewKeys(
  core: CommitContext & Pick<Core, 'sendSlots' | 'elapsed'>,
  group: GroupId,
  deadline: Deadline,
): Promise<void> {
  // Senders would wait for it, and the renewal is not urgent.
  if (core.sendSlots.reserved(group) > 0) return
  const isDue = () => isRenewalDue(core.store, group, core.elapsed.nowMs())
  await commitToGroup(core, group, { intent: () => (isDue() ? {} : 'satisfied'), deadline })
}
