// A commit that another member made: applied only if all it does is what our clients do.
import type { ClientState, PrivateMessage, Proposal } from 'ts-mls'
import { processPrivateMessage } from 'ts-mls/processMessages.js'
import { emptyPskIndex } from 'ts-mls/pskIndex.js'
import { roster } from './credentials.ts'
import { assertPathKeys, checkedChange, settingsIn, withoutOldKeys } from './group-rules.ts'
import { ownerOf } from './key-package.ts'
import type { MlsContext } from './mls-context.ts'
import { MlsError } from './mls-error.ts'

export interface AppliedCommit {
  committerLeaf: number
  /** We were removed: the session is at its end, and the other fields describe the group that goes on without us. */
  removedSelf: boolean
  /** With `removedSelf`: the same commit adds us anew, and a welcome follows. */
  readdedSelf: boolean
  addedLeaves: number[]
  removedLeaves: number[]
}

export async function applyCommit(
  context: MlsContext,
  before: ClientState,
  message: PrivateMessage,
): Promise<AppliedCommit & { state: ClientState }> {
  let seen: { committerLeaf: number; removedLeaves: number[] } | undefined
  let readdedSelf = false
  const result = await processPrivateMessage(before, message, emptyPskIndex, context.provider.cipherSuite, incoming => {
    // ts-mls asks when the proposals are known and nothing is applied yet.
    if (incoming.kind !== 'commit' || incoming.senderLeafIndex === undefined) throw forbidden('it comes from outside')
    const proposals = incoming.proposals.map(({ proposal }) => proposal)
    seen = { committerLeaf: incoming.senderLeafIndex, removedLeaves: removedBy(proposals) }
    readdedSelf = addsOwnAccount(context, before, proposals)
    return 'accept'
  })
  if (seen === undefined || result.kind !== 'newState') throw new Error('a commit was read as something else')
  const after = withoutOldKeys(result.newState)
  if (after.groupActiveState.kind !== 'active') {
    return { ...seen, state: after, removedSelf: true, readdedSelf, addedLeaves: [] }
  }
  const { addedLeaves } = checkedChange(context, { before, after }, seen.removedLeaves)
  assertPathKeys(context, after, before)
  return { ...seen, state: after, removedSelf: false, readdedSelf: false, addedLeaves }
}

/** The leaves that the proposals remove. Throws on a kind of proposal that none of our clients makes. */
function removedBy(proposals: Proposal[]): number[] {
  const removed: number[] = []
  for (const proposal of proposals) {
    if (isKind(proposal, 'remove')) removed.push(proposal.remove.removed)
    else if (isKind(proposal, 'group_context_extensions')) settingsIn(proposal.groupContextExtensions.extensions)
    else if (!isKind(proposal, 'add')) throw forbidden(`a proposal of kind ${proposal.proposalType}`)
  }
  return removed
}

function addsOwnAccount(context: MlsContext, state: ClientState, proposals: Proposal[]): boolean {
  const own = roster(context.provider, state).get(state.privatePath.leafIndex)?.accountId
  return proposals.some(proposal => isKind(proposal, 'add') && ownerOf(context, proposal.add.keyPackage) === own)
}

/** ts-mls types custom proposals by any number, so the compiler needs help to tell them apart. */
const isKind = <Kind extends Proposal['proposalType']>(
  proposal: Proposal,
  kind: Kind,
): proposal is Extract<Proposal, { proposalType: Kind }> => proposal.proposalType === kind

const forbidden = (what: string) =>
  new MlsError('mls-forbidden', `The commit is not one that our clients make: ${what}.`)
