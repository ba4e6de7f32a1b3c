// Finds the key behind an account id: the one that a shared group uses, or else the relay's answer, checked.
import { rosterOf } from '@postern/mls'
import { type AccountId, accountIdFromHash, CodedError, type Deadline } from '@postern/protocol'
import type { Core } from '../../context.ts'
import { groupSharedWith } from '../records/chats-by-group.ts'

export async function findAccountKey(
  core: Pick<Core, 'store' | 'groups' | 'link' | 'provider'>,
  account: AccountId,
  deadline: Deadline,
): Promise<Uint8Array> {
  return (await keyInGroup(core, account)) ?? (await keyAtRelay(core, account, deadline))
}

/** Every leaf of every group has proved its key: it hashes to the id, and it certified the device that signs there. */
async function keyInGroup(core: Pick<Core, 'store' | 'groups'>, account: AccountId): Promise<Uint8Array | undefined> {
  const shared = groupSharedWith(core.store, account)
  if (!shared) return undefined
  const members = await core.groups.run(shared, async live => rosterOf(live.session))
  return [...members.values()].find(member => member.accountId === account)?.accountPublicKey
}

async function keyAtRelay(
  core: Pick<Core, 'link' | 'provider'>,
  account: AccountId,
  deadline: Deadline,
): Promise<Uint8Array> {
  await core.link.whenOnline(deadline.leftMs())
  const { accountKey } = await core.link.call('getProfile', { account }, deadline.leftMs())
  // Unchecked, the safety number would be that of a stranger, and would match the stranger's.
  if (accountIdFromHash(core.provider.sha256(accountKey)) !== account)
    throw new CodedError('relay-broken', { what: 'the key that it names for the account is not the account’s' })
  return accountKey
}
