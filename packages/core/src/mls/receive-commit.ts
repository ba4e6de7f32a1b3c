// A commit that another member made: applied only if all it does is what our clients do.
import { type ClientState, emptyPskIndex, type PrivateMessage, type Proposal, processPrivateMessage } from 'ts-mls'
import { assertPathKeys, checkedChange, settingsIn, withoutOldKeys } from './group-rules.ts'
import type { MlsContext } from './mls-context.ts'
import { MlsError } from './mls-error.ts'

export interface AppliedCommit {
  committerLeaf: number
  /** We were removed: the session is at its end, and the other fields describe the group that goes on without us. */
  removedSelf: boolean
  addedLeaves: number[]
  removedLeaves: number[]
}

export async function applyCommit(
  context: MlsContext,
  before: ClientState,
  message: PrivateMessage,
): Promise<AppliedCommit & { state: ClientState }> {
  let seen: { committerLeaf: number; removedLeaves: number[] } | undefined
  const result = await processPrivateMessage(before, message, emptyPskIndex, context.provider.cipherSuite, incoming => {
    // ts-mls asks when the proposals are known and nothing is applied yet.
    if (incoming.kind !== 'commit' || incoming.senderLeafIndex === undefined) throw forbidden('it comes from outside')
    seen = {
      committerLeaf: incoming.senderLeafIndex,
      removedLeaves: removedBy(incoming.proposals.map(({ proposal }) => proposal)),
    }
    return 'accept'
  })
  if (seen === undefined || result.kind !== 'newState') throw new Error('a commit was read as something else')
  const after = withoutOldKeys(result.newState)
  if (after.groupActiveState.kind !== 'active') return { ...seen, state: after, removedSelf: true, addedLeaves: [] }
  const { addedLeaves } = checkedChange(context, { before, after }, seen.removedLeaves)
  assertPathKeys(context, after, before)
  return { ...seen, state: after, removedSelf: false, addedLeaves }
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

/** ts-mls types custom proposals by any number, so the compiler needs help to tell them apart. */
const isKind = <Kind extends Proposal['proposalType']>(
  proposal: Proposal,
  kind: Kind,
): proposal is Extract<Proposal, { proposalType: Kind }> => proposal.proposalType === kind

const forbidden = (what: string) =>
  new MlsError('mls-forbidden', `The commit is not one that our clients make: ${what}.`)
