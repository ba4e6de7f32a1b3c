// Which commit of an epoch is accepted, and what becomes of the members with it.
import { type AccountId, CodedError } from '@postern/protocol'
import type { GroupState } from './group-state.ts'

export type AskedCommit = {
  sender: number
  epoch: number
  add: readonly AccountId[]
  remove: readonly AccountId[]
  hasWelcome: boolean
}

export type CommitRules = {
  membersMax: number
  /** The store's number of an account; undefined when it is not registered. */
  find(account: AccountId): number | undefined
  /** Of an account that was deleted. */
  findDeleted(account: AccountId): number | undefined
}

export type AddedAccount = { num: number; id: AccountId }

/**
 * `removed` go first, then `added` come. All who were members before get the commit, those who were added the welcome.
 * `putsOut`: somebody goes by this who was there and does not come back.
 */
export type MemberChange = { added: AddedAccount[]; removed: number[]; putsOut: boolean }

/** A store that finds the commit in its log tells that, before it asks here: a resend is never refused. */
export type CommitVerdict =
  | { kind: 'accepted'; change: MemberChange }
  | { kind: 'stale' }
  | { kind: 'refused'; error: CodedError }

/** The first commit of an epoch is accepted and ends it, so that every other one is stale. */
export function judgeCommit(group: GroupState, asked: AskedCommit, rules: CommitRules): CommitVerdict {
  if (!group.members.has(asked.sender)) return { kind: 'refused', error: new CodedError('group-unknown') }
  // Before its members are looked at: who lost the race may well name people whom the winner has added.
  if (asked.epoch !== group.epoch) return { kind: 'stale' }
  try {
    return { kind: 'accepted', change: changeOf(group, asked, rules) }
  } catch (error) {
    if (error instanceof CodedError) return { kind: 'refused', error }
    throw error
  }
}

function changeOf(group: GroupState, asked: AskedCommit, { find, findDeleted, membersMax }: CommitRules): MemberChange {
  const { sender, add, remove, hasWelcome } = asked
  if (hasWelcome !== add.length > 0)
    throw badField('welcome', 'must be present when someone is added and absent otherwise')
  const removed = remove.map(account => {
    // A deleted account is a member of the group's keys until a commit takes it out.
    const num = find(account) ?? findDeleted(account)
    if (num === undefined || !(group.members.has(num) || group.left.has(num)))
      throw new CodedError('not-a-member', { account })
    if (num === sender) throw badField('remove', 'must not contain the sender')
    return num
  })
  const goes = new Set(removed)
  const added = add.map(id => {
    const num = find(id)
    if (num === undefined) throw new CodedError('account-not-found', { account: id })
    // Removed and added at once is how a member is healed.
    if (group.members.has(num) && !goes.has(num)) throw badField('add', `${id} is already a member`)
    return { num, id }
  })
  checkUnique(add, 'add')
  checkUnique(remove, 'remove')
  // Who has left before is in the way of nobody.
  const membersGoing = removed.filter(num => group.members.has(num))
  if (group.members.size - membersGoing.length + added.length > membersMax)
    throw new CodedError('group-full', { max: membersMax })
  const back = new Set(added.map(({ num }) => num))
  return { added, removed, putsOut: membersGoing.some(num => !back.has(num)) }
}

const badField = (field: string, rule: string): CodedError => new CodedError('bad-field', { field, rule })

function checkUnique(accounts: readonly AccountId[], field: string): void {
  if (new Set(accounts).size !== accounts.length) throw badField(field, 'must not name an account twice')
}
