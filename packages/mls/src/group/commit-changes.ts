// The changes that the proposals of a commit would make, and the rules for them that every member can check alike,
// without a clock.
import { type AccountId, contentLimits } from '@postern/protocol'
import type { ClientState, LeafNode, Proposal, ProposalOrRef } from 'ts-mls'
import { isMlsError, MlsError } from '../mls-error.ts'
import { type Roster, roster } from './credentials.ts'
import { settingsIn } from './group-rules.ts'
import { assertWellMade, ownerOf } from './key-package.ts'
import type { MlsContext } from './mls-context.ts'

export interface AddedMember {
  accountId: AccountId
  devicePublicKey: Uint8Array
}

export interface RemovedMember {
  leaf: number
  accountId: AccountId
}

export interface ProposedChanges {
  added: AddedMember[]
  addedLeafNodes: LeafNode[]
  removed: RemovedMember[]
  /** After the commit: from the proposal, or unchanged. */
  settings: Uint8Array
}

const forbidden = (what: string, cause?: unknown) =>
  new MlsError('mls-forbidden', `The commit is not one that our clients make: ${what}.`, { cause })

/** Throws on proposals that none of our clients makes. ts-mls checks the keys and signatures. */
export function changesOf(
  context: MlsContext,
  before: ClientState,
  proposals: readonly ProposalOrRef[],
): ProposedChanges {
  const members = roster(context.provider, before)
  assertRoom(members, proposals)
  const settings = settingsIn(before.groupContext.extensions)
  const changes: ProposedChanges = { added: [], addedLeafNodes: [], removed: [], settings }
  for (const item of proposals) {
    if (item.proposalOrRefType !== 'proposal') throw forbidden('a proposal that stands elsewhere')
    const { proposal } = item
    if (isKind(proposal, 'remove')) changes.removed.push(removedBy(members, proposal))
    else if (isKind(proposal, 'add')) {
      changes.added.push(addedBy(context, proposal))
      changes.addedLeafNodes.push(proposal.add.keyPackage.leafNode)
    } else if (isKind(proposal, 'group_context_extensions'))
      changes.settings = settingsIn(proposal.groupContextExtensions.extensions)
    else throw forbidden(`a proposal of kind ${proposal.proposalType}`)
  }
  return { ...changes, settings: changes.settings.slice() }
}

/** Before the keys of a thousand and more newcomers are verified, which takes a millisecond each. */
function assertRoom(members: Roster, proposals: readonly ProposalOrRef[]): void {
  const count = (kind: 'add' | 'remove') =>
    proposals.filter(item => item.proposalOrRefType === 'proposal' && item.proposal.proposalType === kind).length
  const after = members.size - count('remove') + count('add')
  if (after > contentLimits.groupMembersMax) throw forbidden(`the group would have ${after} members`)
}

function removedBy(members: Roster, { remove }: KindOf<'remove'>): RemovedMember {
  const accountId = members.get(remove.removed)?.accountId
  if (accountId === undefined) throw forbidden(`it removes leaf ${remove.removed}, which is empty`)
  return { leaf: remove.removed, accountId }
}

function addedBy(context: MlsContext, { add: { keyPackage } }: KindOf<'add'>): AddedMember {
  try {
    assertWellMade(keyPackage)
    return { accountId: ownerOf(context, keyPackage), devicePublicKey: keyPackage.leafNode.signaturePublicKey.slice() }
  } catch (cause) {
    throw isMlsError(cause) ? forbidden(cause.message, cause) : cause
  }
}

type KindOf<Kind extends Proposal['proposalType']> = Extract<Proposal, { proposalType: Kind }>

/** ts-mls types custom proposals by any number, so the compiler needs help to distinguish them. */
const isKind = <Kind extends Proposal['proposalType']>(proposal: Proposal, kind: Kind): proposal is KindOf<Kind> =>
  proposal.proposalType === kind
