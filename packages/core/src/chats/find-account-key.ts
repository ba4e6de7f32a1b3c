// The key behind an account id: the one that a shared group really talks to, or else the relay's word, checked.
import { rosterOf } from '@postern/mls'
import { type AccountId, accountIdFromHash, CodedError, type Deadline, type GroupId } from '@postern/protocol'
import type { Core } from '../context.ts'

export async function findAccountKey(core: Core, account: AccountId, deadline: Deadline): Promise<Uint8Array> {
  return (await keyInGroup(core, account)) ?? (await keyAtRelay(core, account, deadline))
}

/** Every leaf of every group has proved its key: it hashes to the id, and it certified the device that signs there. */
async function keyInGroup(core: Core, account: AccountId): Promise<Uint8Array | undefined> {
  const shared = core.store.get<{ id: GroupId }>(
    `SELECT mls_group.id FROM member
       JOIN chat ON chat.id = member.chat_id
       JOIN mls_group ON mls_group.id = chat.group_id
     WHERE member.account_id = ? AND mls_group.status = 'open' ORDER BY chat.type = 'private' DESC LIMIT 1`,
    account,
  )
  if (!shared) return undefined
  const members = await core.groups.run(shared.id, async live => rosterOf(live.session))
  return [...members.values()].find(member => member.accountId === account)?.accountPublicKey
}

async function keyAtRelay(core: Core, account: AccountId, deadline: Deadline): Promise<Uint8Array> {
  await core.link.whenOnline(deadline.leftMs())
  const { accountKey } = await core.link.call('getProfile', { account }, deadline.leftMs())
  // Taken unseen, the number would be one of a stranger, and agree with the stranger's.
  if (accountIdFromHash(core.provider.sha256(accountKey)) !== account)
    throw new CodedError('relay-broken', { what: 'the key that it names for the account is not the account’s' })
  return accountKey
}
