// Earlier groups of a chat: entries may still arrive in them, so the newest of them are kept.
import { type ChatId, clientLimits, type GroupId } from '@postern/protocol'
import type { Database } from '../storage/database.ts'
import type { GroupSessions } from './group-sessions.ts'

type Keeping = { chat: ChatId; type: 'private' | 'group'; inForce: GroupId }

/** A group with an operation of ours in flight stays. A trigger removes everything else about a group with its row. */
export function dropSuperseded(
  { groups }: { groups: Pick<GroupSessions, 'forget'> },
  database: Database,
  { chat, type, inForce }: Keeping,
): void {
  const dropped = database.all<{ id: GroupId }>(
    `SELECT id FROM mls_group WHERE chat_id = ? AND id <> ? AND status <> 'opening'
       AND NOT EXISTS (SELECT 1 FROM pending_commit WHERE group_id = mls_group.id)
       AND NOT EXISTS (SELECT 1 FROM outbox WHERE group_id = mls_group.id)
     ORDER BY generation DESC, id LIMIT -1 OFFSET 0 + ?`,
    chat,
    inForce,
    clientLimits.supersededGroupsMax[type],
  )
  for (const { id } of dropped) {
    database.run('DELETE FROM mls_group WHERE id = ?', id)
    groups.forget(id)
  }
}
