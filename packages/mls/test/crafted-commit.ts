// Commits with any content that a member signs and encrypts correctly.
import type { Proposal, UpdatePath } from 'ts-mls'
import { createContentCommitSignature } from 'ts-mls/framedContent.js'
import { protect } from 'ts-mls/messageProtection.js'
import type { GroupSession } from '../src/group/group-session.ts'
import { encodePrivateMessage } from '../src/group/private-message.ts'
import { cipherSuite } from './plain-group.ts'

/** Its confirmation tag is wrong: members that check everything else first refuse it for another reason. */
export async function craftedCommit(
  { state }: GroupSession,
  proposals: Proposal[],
  path?: UpdatePath,
): Promise<Uint8Array> {
  const leafIndex = state.privatePath.leafIndex
  const nothing = new Uint8Array(0)
  const { signature, framedContent } = await createContentCommitSignature(
    state.groupContext,
    'mls_private_message',
    { proposals: proposals.map(proposal => ({ proposalOrRefType: 'proposal', proposal })), path },
    { senderType: 'member', leafIndex },
    nothing,
    state.signaturePrivateKey,
    cipherSuite.signature,
  )
  const auth = { contentType: 'commit', signature, confirmationTag: new Uint8Array(32) } as const
  const content = { ...framedContent, auth } as Parameters<typeof protect>[4]
  const { senderDataSecret } = state.keySchedule
  const padding = state.clientConfig.paddingConfig
  const { groupContext, secretTree } = state
  const made = await protect(
    senderDataSecret,
    nothing,
    groupContext,
    secretTree,
    content,
    leafIndex,
    padding,
    cipherSuite,
  )
  return encodePrivateMessage(made.privateMessage)
}
