// Removes members who have said farewell.
// Any member does this, with the proof next to the commit, before it sends the next message.
import { type GroupSession, isFarewell, leafOf, rosterOf } from '@postern/mls'
import type { AccountId, ChatId, Deadline, GroupId } from '@postern/protocol'
import type { Core } from '../../context.ts'
import { type CommitContext, commitToGroup } from '../../groups/commit-group.ts'
import { farewellsOf } from '../records/farewells.ts'

type Proven = { account: AccountId; proof: Uint8Array; leafKey: unknown }

export async function removeLeavers(
  core: CommitContext,
  { chat, group }: { chat: ChatId; group: GroupId },
  deadline: Deadline,
): Promise<void> {
  if (farewellsOf(core.store, chat).length === 0) return
  const proven = await core.groups.run(group, live => provenLeavers(core, chat, live.session))
  if (proven.length === 0) return
  await commitToGroup(core, group, {
    intent: session => {
      const farewells = proven.filter(({ account, leafKey }) => leafAt(session, account)?.leafKey === leafKey)
      if (farewells.length === 0) return 'satisfied'
      return { remove: farewells.map(({ account }) => account), farewells }
    },
    deadline,
  })
}

/** Without a valid proof the others would treat the removal as an offence. A member without one waits for an admin. */
async function provenLeavers(core: Pick<Core, 'store'>, chat: ChatId, session: GroupSession): Promise<Proven[]> {
  const proven: Proven[] = []
  for (const { account, proof } of farewellsOf(core.store, chat)) {
    const at = leafAt(session, account)
    if (at && (await isFarewell(session.context, session.state, { leaf: at.leaf, proof })))
      proven.push({ account, proof, leafKey: at.leafKey })
  }
  return proven
}

/** Leaves are never changed in place: an identical leaf is the one that was proved. */
function leafAt(session: GroupSession, account: AccountId): { leaf: number; leafKey: unknown } | undefined {
  const leaf = leafOf(rosterOf(session), account)
  return leaf === undefined ? undefined : { leaf, leafKey: session.state.ratchetTree[2 * leaf] }
}
