// Drops a group of which the others never learned: the chat continues in the group that it had before.
import type { ChatId, GroupId } from '@postern/protocol'
import type { Core } from '../../context.ts'
import { deleteGroup, findGroup, unfinishedGroups } from '../../groups/group-records.ts'

/**
 * Drops groups of a run that was killed before anything of them was sent.
 * The chat continues where it was, and the caller starts again.
 */
export async function dropUnfinished(core: Pick<Core, 'store' | 'groups'>): Promise<void> {
  for (const { group, chat } of unfinishedGroups(core.store)) await dropOpening(core, group, chat)
}

/** Removes a group that the relay refused, and its chat too, unless the chat existed before. */
export async function dropOpening(core: Pick<Core, 'store' | 'groups'>, group: GroupId, chat: ChatId): Promise<void> {
  core.groups.forget(group)
  await core.store.write(database => {
    const continued = findGroup(database, group)?.continues
    deleteGroup(database, group)
    // Without a group, the chat's next generation would be counted from the first, and the others would stay in theirs.
    // If two groups have one generation, the others need not be in the first by id.
    database.run(
      `UPDATE chat SET group_id = before.id
       FROM (SELECT id FROM mls_group WHERE chat_id = ? ORDER BY id IS ? DESC, generation DESC, id LIMIT 1) AS before
       WHERE chat.id = ? AND group_id = ?`,
      chat,
      continued ?? null,
      chat,
      group,
    )
    database.run('DELETE FROM chat WHERE id = ? AND visible = 0 AND group_id = ?', chat, group)
    database.run('DELETE FROM member WHERE chat_id = ? AND NOT EXISTS (SELECT 1 FROM chat WHERE id = ?)', chat, chat)
  })
}
