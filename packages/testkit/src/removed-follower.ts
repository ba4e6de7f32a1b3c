// A removed member with a modified client and everything that the relay saw: it follows every commit whose secret it can guess.
import { decryptMessage, type GroupSession, readPrivateMessage } from '@postern/mls'
import type { ClientState, Proposal } from 'ts-mls'
import { nextEpochContext } from 'ts-mls/clientState.js'
import { verifyConfirmationTag } from 'ts-mls/framedContent.js'
import { initializeEpoch } from 'ts-mls/keySchedule.js'
import { unprotectPrivateMessage } from 'ts-mls/messageProtection.js'
import { addLeafNode, removeLeafNode } from 'ts-mls/ratchetTree.js'
import { createSecretTree } from 'ts-mls/secretTree.js'
import { treeHashRoot } from 'ts-mls/treeHash.js'
import { leafWidth, toLeafIndex } from 'ts-mls/treemath.js'
import { applyUpdatePath } from 'ts-mls/updatePath.js'

const NO_SECRET = new Uint8Array(32)

/** The texts among these ciphertexts that the member reads, with the session that it had before the first of them. */
export async function readsOn(session: GroupSession, wires: readonly Uint8Array[]): Promise<Uint8Array[]> {
  const texts: Uint8Array[] = []
  let at = session
  for (const wire of wires) {
    const read = await decryptMessage(at, wire).catch(() => undefined)
    if (read?.kind === 'application') texts.push(read.plaintext)
    const followed = read !== undefined && !(read.kind === 'commit' && read.removedSelf)
    at = followed ? read.session : ((await withoutSecret(at, wire).catch(() => undefined)) ?? at)
  }
  return texts
}

/** The epoch after a commit if its secret is all zeros, which no fresh secret is. */
async function withoutSecret(session: GroupSession, wire: Uint8Array): Promise<GroupSession | undefined> {
  const { state, context } = session
  const { cipherSuite } = context.provider
  const message = readPrivateMessage(wire)
  if (message.contentType !== 'commit' || message.epoch !== state.groupContext.epoch) return undefined
  const { keySchedule, secretTree, ratchetTree, groupContext, clientConfig } = state
  const { content } = await unprotectPrivateMessage(
    keySchedule.senderDataSecret,
    message,
    secretTree,
    ratchetTree,
    groupContext,
    clientConfig.keyRetentionConfig,
    cipherSuite,
  )
  const { content: framed, auth } = content
  if (framed.contentType !== 'commit' || auth.contentType !== 'commit' || framed.sender.senderType !== 'member') return
  const { path } = framed.commit
  const proposals = framed.commit.proposals.flatMap(item => ('proposal' in item ? item.proposal : []))
  const { extensions = groupContext.extensions } = proposals.find(isSettings)?.groupContextExtensions ?? {}
  let tree = changedTree(ratchetTree, proposals)
  if (path) tree = await applyUpdatePath(tree, toLeafIndex(framed.sender.leafIndex), path, cipherSuite.hash)
  const treeHash = await treeHashRoot(tree, cipherSuite.hash)
  const next = await nextEpochContext(
    { ...groupContext, extensions },
    'mls_private_message',
    framed,
    auth.signature,
    treeHash,
    state.confirmationTag,
    cipherSuite.hash,
  )
  const epoch = await initializeEpoch(keySchedule.initSecret, NO_SECRET, next, NO_SECRET, cipherSuite.kdf)
  const { confirmationTag } = auth
  const { confirmationKey } = epoch.keySchedule
  if (!(await verifyConfirmationTag(confirmationKey, confirmationTag, next.confirmedTranscriptHash, cipherSuite.hash)))
    return undefined
  const secrets = await createSecretTree(leafWidth(tree.length), epoch.encryptionSecret, cipherSuite.kdf)
  return {
    context,
    state: {
      ...state,
      ...{
        ratchetTree: tree,
        groupContext: next,
        keySchedule: epoch.keySchedule,
        secretTree: secrets,
        confirmationTag,
      },
    },
  }
}

type EnvelopeKind<Name extends Proposal['proposalType']> = Extract<Proposal, { proposalType: Name }>

const isSettings = (proposal: Proposal): proposal is EnvelopeKind<'group_context_extensions'> =>
  proposal.proposalType === 'group_context_extensions'
const isRemoval = (proposal: Proposal): proposal is EnvelopeKind<'remove'> => proposal.proposalType === 'remove'
const isAddition = (proposal: Proposal): proposal is EnvelopeKind<'add'> => proposal.proposalType === 'add'

function changedTree(before: ClientState['ratchetTree'], proposals: Proposal[]): ClientState['ratchetTree'] {
  let tree = before
  for (const { remove } of proposals.filter(isRemoval)) tree = removeLeafNode(tree, toLeafIndex(remove.removed))
  for (const { add } of proposals.filter(isAddition)) [tree] = addLeafNode(tree, add.keyPackage.leafNode)
  return tree
}
