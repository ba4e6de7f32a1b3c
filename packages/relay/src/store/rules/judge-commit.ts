// Decides which commit of an epoch is accepted, and how it changes the members.
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
  /** The store's number of an account; undefined if it is not registered. */
  find(account: AccountId): number | undefined
  findDeleted(account: AccountId): number | undefined
}

export type AddedAccount = { num: number; id: AccountId }

/**
 * `removed` are removed first, then `added` are added. All earlier members receive the commit, and the added ones the
 * welcome. `putsOut`: a member is removed and not added back.
 */
export type MemberChange = { added: AddedAccount[]; removed: number[]; putsOut: boolean }

/** If the store finds the commit in its log, it answers that without asking here: a resend is never refused. */
export type CommitVerdict =
  | { kind: 'accepted'; change: MemberChange }
  | { kind: 'stale' }
  | { kind: 'refused'; error: CodedError }

/** The first commit of an epoch is accepted and ends the epoch, so every other one is stale. */
export function judgeCommit(group: GroupState, asked: AskedCommit, rules: CommitRules): CommitVerdict {
  if (!group.members.has(asked.sender)) return { kind: 'refused', error: new CodedError('group-unknown') }
  // Before the members are checked: the loser of a race may well name people whom the winner has added.
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
    // A deleted account stays in the group's key tree until a commit removes it.
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
    // Removing and adding a member in one commit repairs its state.
    if (group.members.has(num) && !goes.has(num)) throw badField('add', `${id} is already a member`)
    return { num, id }
  })
  checkUnique(add, 'add')
  checkUnique(remove, 'remove')
  // Members that have already left do not count.
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
