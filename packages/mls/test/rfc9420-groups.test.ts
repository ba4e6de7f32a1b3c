// The working group's vectors of trees, paths, messages and whole groups: the patched library gives the same results as
// every other one.
import {
  acceptAll,
  bytesToBase64,
  type ClientState,
  decodeMlsMessage,
  encodeMlsMessage,
  joinGroup,
  makePskIndex,
  processMessage,
} from 'ts-mls'
import { decodeCommit, encodeCommit } from 'ts-mls/commit.js'
import { applyUpdatePathSecret } from 'ts-mls/createCommit.js'
import { verifyGroupInfoConfirmationTag, verifyGroupInfoSignature } from 'ts-mls/groupInfo.js'
import { decodeGroupSecrets, encodeGroupSecrets } from 'ts-mls/groupSecrets.js'
import { makeKeyPackageRef } from 'ts-mls/keyPackage.js'
import { verifyLeafNodeSignature, verifyLeafNodeSignatureKeyPackage } from 'ts-mls/leafNode.js'
import { verifyParentHashes } from 'ts-mls/parentHash.js'
import { getCommitSecret } from 'ts-mls/pathSecrets.js'
import { toPrivateKeyPath } from 'ts-mls/privateKeyPath.js'
import { decodeProposal, encodeProposal } from 'ts-mls/proposal.js'
import {
  addLeafNode,
  decodeRatchetTree,
  encodeRatchetTree,
  removeLeafNode,
  resolution,
  updateLeafNode,
} from 'ts-mls/ratchetTree.js'
import { treeHash, treeHashRoot } from 'ts-mls/treeHash.js'
import { toLeafIndex, toNodeIndex } from 'ts-mls/treemath.js'
import { applyUpdatePath, decodeUpdatePath } from 'ts-mls/updatePath.js'
import { decryptGroupInfo, decryptGroupSecrets } from 'ts-mls/welcome.js'
import { describe, expect, it } from 'vitest'
import { MLS_SUITE } from '../src/crypto/provider.ts'
import { makeNodeProvider } from '../src/provider-node.ts'
import { fromHex, hex } from './bytes.ts'
import {
  type Messages,
  type PassiveClient,
  type TreeKem,
  type TreeOperation,
  type TreeValidation,
  vectorsOf,
  type Welcoming,
} from './working-group-vectors.ts'

const { cipherSuite } = makeNodeProvider()
const { hash, kdf, hpke, signature } = cipherSuite

function read<T>(decode: (bytes: Uint8Array, offset: number) => [T, number] | undefined, bytes: string): T {
  const decoded = decode(fromHex(bytes), 0)
  if (decoded === undefined) throw new Error('it does not decode')
  return decoded[0]
}
const treeIn = (bytes: string) => read(decodeRatchetTree, bytes)
type Tree = ReturnType<typeof treeIn>

function messageIn<Kind extends string>(bytes: string, wireformat: Kind) {
  const message = read(decodeMlsMessage, bytes)
  if (message.wireformat !== wireformat) throw new Error(`it is no ${wireformat}`)
  return message as Extract<typeof message, { wireformat: Kind }>
}

const named = <Vector>(name: string) =>
  vectorsOf<Vector>(name).map((vector, at): [string, Vector] => [`${name} ${at}`, vector])

function changed(tree: Tree, { proposal: bytes, proposal_sender: sender }: TreeOperation): Tree {
  const proposal = read(decodeProposal, bytes)
  if (proposal.proposalType === 'add' && 'add' in proposal)
    return addLeafNode(tree, proposal.add.keyPackage.leafNode)[0]
  if (proposal.proposalType === 'update' && 'update' in proposal)
    return updateLeafNode(tree, proposal.update.leafNode, toLeafIndex(sender))
  if (proposal.proposalType === 'remove' && 'remove' in proposal)
    return removeLeafNode(tree, toLeafIndex(proposal.remove.removed))
  throw new Error('it changes no tree')
}

it.each(named<TreeOperation>('tree-operations'))(
  '[MLS-7.10] %s: a proposal changes the tree',
  async (_name, vector) => {
    const before = treeIn(vector.tree_before)
    expect(hex(await treeHashRoot(before, hash))).toBe(vector.tree_hash_before)
    const after = changed(before, vector)
    expect(hex(await treeHashRoot(after, hash))).toBe(vector.tree_hash_after)
    if (vector.tree_after !== undefined) expect(hex(encodeRatchetTree(after))).toBe(vector.tree_after)
  },
)

async function expectSigned(tree: Tree, groupId: Uint8Array): Promise<void> {
  for (const [at, node] of tree.entries()) {
    if (node?.nodeType !== 'leaf') continue
    const { leaf } = node
    const isGenuine =
      leaf.leafNodeSource === 'key_package'
        ? await verifyLeafNodeSignatureKeyPackage(leaf, signature)
        : await verifyLeafNodeSignature(leaf, groupId, at / 2, signature)
    expect(isGenuine).toBe(true)
  }
}

it.each(named<TreeValidation>('tree-validation'))('[MLS-7.10] %s: a tree is valid', async (_name, vector) => {
  const tree = treeIn(vector.tree)
  for (const [at, wanted] of vector.resolutions.entries()) expect(resolution(tree, toNodeIndex(at))).toEqual(wanted)
  for (const [at, wanted] of vector.tree_hashes.entries())
    expect(hex(await treeHash(tree, toNodeIndex(at), hash))).toBe(wanted)
  expect(await verifyParentHashes(tree, hash)).toBe(true)
  if (vector.group_id !== undefined) await expectSigned(tree, fromHex(vector.group_id))
})

describe.each(named<TreeKem>('treekem'))('[MLS-7.10] %s', (_name, vector) => {
  const tree = treeIn(vector.ratchet_tree)
  const groupId = fromHex(vector.group_id)

  it('has a valid tree', async () => {
    expect(await verifyParentHashes(tree, hash)).toBe(true)
    await expectSigned(tree, groupId)
  })

  it.each(vector.update_paths.map(path => [path.sender, path] as const))(
    'is followed by all when leaf %i sends a path',
    async (sender, wanted) => {
      const path = read(decodeUpdatePath, wanted.update_path)
      const after = await applyUpdatePath(tree, toLeafIndex(sender), path, hash)
      const afterHash = await treeHashRoot(after, hash)
      expect(hex(afterHash)).toBe(wanted.tree_hash_after)
      expect(await verifyParentHashes(after, hash)).toBe(true)
      await expectSigned(after, groupId)
      const groupContext = {
        version: 'mls10' as const,
        cipherSuite: MLS_SUITE as typeof MLS_SUITE,
        groupId,
        epoch: BigInt(vector.epoch),
        treeHash: afterHash,
        confirmedTranscriptHash: fromHex(vector.confirmed_transcript_hash),
        extensions: [],
      }
      for (const { index, encryption_priv, path_secrets } of vector.leaves_private) {
        const expected = wanted.path_secrets[index]
        if (typeof expected !== 'string') continue
        const known = Object.fromEntries(path_secrets.map(({ node, path_secret }) => [node, fromHex(path_secret)]))
        const above = await toPrivateKeyPath(known, index, cipherSuite)
        const privateKeys = { ...above.privateKeys, [2 * index]: fromHex(encryption_priv) }
        const own = { leafIndex: index, privateKeys }
        const from = toLeafIndex(sender)
        const got = await applyUpdatePathSecret(after, own, from, groupContext, path, [], cipherSuite)
        expect(hex(got.pathSecret)).toBe(expected)
        const commitSecret = await getCommitSecret(after, toNodeIndex(got.nodeIndex), got.pathSecret, kdf)
        expect(hex(commitSecret)).toBe(wanted.commit_secret)
      }
    },
  )
})

it.each(named<Welcoming>('welcome'))('[MLS-7.10] %s: a welcome is read', async (_name, vector) => {
  const { welcome } = messageIn(vector.welcome, 'mls_welcome')
  const { keyPackage } = messageIn(vector.key_package, 'mls_key_package')
  const reference = await makeKeyPackageRef(keyPackage, hash)
  const initKey = await hpke.importPrivateKey(fromHex(vector.init_priv))
  const secrets = await decryptGroupSecrets(initKey, reference, welcome, hpke)
  if (secrets === undefined) throw new Error('no secrets')
  const noPsk = new Uint8Array(kdf.size)
  const info = await decryptGroupInfo(welcome, secrets.joinerSecret, noPsk, cipherSuite)
  if (info === undefined) throw new Error('no group info')
  expect(await verifyGroupInfoSignature(info, fromHex(vector.signer_pub), signature)).toBe(true)
  expect(await verifyGroupInfoConfirmationTag(info, secrets.joinerSecret, noPsk, cipherSuite)).toBe(true)
})

const PROPOSAL_KINDS: Record<string, string> = {
  add_proposal: '0001',
  update_proposal: '0002',
  remove_proposal: '0003',
  pre_shared_key_proposal: '0004',
  re_init_proposal: '0005',
  external_init_proposal: '0006',
  group_context_extensions_proposal: '0007',
}

/** A structure after it was decoded and encoded. */
function rewritten(field: string, bytes: string): string {
  const kind = PROPOSAL_KINDS[field]
  if (kind !== undefined) return hex(encodeProposal(read(decodeProposal, kind + bytes))).slice(kind.length)
  if (field === 'ratchet_tree') return hex(encodeRatchetTree(treeIn(bytes)))
  if (field === 'group_secrets') return hex(encodeGroupSecrets(read(decodeGroupSecrets, bytes)))
  if (field === 'commit') return hex(encodeCommit(read(decodeCommit, bytes)))
  return hex(encodeMlsMessage(read(decodeMlsMessage, bytes)))
}

it.each(named<Messages>('messages'))('[MLS-7.10] %s: all are read and written alike', (_name, vector) => {
  for (const [field, bytes] of Object.entries(vector)) expect([field, rewritten(field, bytes)]).toEqual([field, bytes])
})

const authenticator = ({ keySchedule }: ClientState): string => hex(keySchedule.epochAuthenticator)

async function followed(state: ClientState, bytes: string, psks: Record<string, Uint8Array>): Promise<ClientState> {
  const message = read(decodeMlsMessage, bytes)
  expect(hex(encodeMlsMessage(message))).toBe(bytes)
  if (message.wireformat !== 'mls_private_message' && message.wireformat !== 'mls_public_message')
    throw new Error('it is nothing that a member sends')
  return (await processMessage(message, state, makePskIndex(state, psks), acceptAll, cipherSuite)).newState
}

describe.each([
  ...named<PassiveClient>('passive-client-welcome'),
  ...named<PassiveClient>('passive-client-handling-commit'),
  ...named<PassiveClient>('passive-client-random'),
])('[MLS-7.10] %s', (_name, vector) => {
  it('is joined, and followed through all its epochs', async () => {
    const psks = Object.fromEntries(
      vector.external_psks.map(({ psk_id, psk }) => [bytesToBase64(fromHex(psk_id)), fromHex(psk)]),
    )
    let state = await joinGroup(
      messageIn(vector.welcome, 'mls_welcome').welcome,
      messageIn(vector.key_package, 'mls_key_package').keyPackage,
      {
        initPrivateKey: fromHex(vector.init_priv),
        hpkePrivateKey: fromHex(vector.encryption_priv),
        signaturePrivateKey: fromHex(vector.signature_priv),
      },
      makePskIndex(undefined, psks),
      cipherSuite,
      vector.ratchet_tree === null ? undefined : treeIn(vector.ratchet_tree),
    )
    expect(authenticator(state)).toBe(vector.initial_epoch_authenticator)
    for (const { proposals, commit, epoch_authenticator } of vector.epochs) {
      for (const bytes of [...proposals, commit]) state = await followed(state, bytes, psks)
      expect(authenticator(state)).toBe(epoch_authenticator)
    }
  })
})
