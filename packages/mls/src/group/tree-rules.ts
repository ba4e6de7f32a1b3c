// Rules of RFC 9420 about the tree of a group that ts-mls does not check, or checks for some members only.
import type { ClientState, LeafNode, Node, RatchetTree, UpdatePath } from 'ts-mls'
import { addLeafNode, filteredDirectPathAndCopathResolution, removeLeafNode } from 'ts-mls/ratchetTree.js'
import { toLeafIndex } from 'ts-mls/treemath.js'
import { MlsError } from '../mls-error.ts'

export const forbidden = (what: string) => new MlsError('mls-forbidden', `The group breaks our rules: ${what}.`)

/**
 * No key occurs twice in a tree (RFC 9420 §7.3, §7.6). A member that shows another member's key would share that
 * member's secrets, or speak in its name.
 */
export function assertKeysUnique(tree: RatchetTree): void {
  const keys = tree.flatMap(node => (node === undefined ? [] : keysOf(node))).map(key => String.fromCharCode(...key))
  if (new Set(keys).size !== keys.length) throw forbidden('a key occurs twice')
}

const keysOf = (node: Node): Uint8Array[] =>
  node.nodeType === 'leaf' ? [node.leaf.hpkePublicKey, node.leaf.signaturePublicKey] : [node.parent.hpkePublicKey]

export interface PathOfCommit {
  committerLeaf: number
  removedLeaves: readonly number[]
  addedLeafNodes: readonly LeafNode[]
  path: UpdatePath
}

/**
 * A path holds one secret for each node that needs one (RFC 9420 §7.6). Without this check only the members that
 * receive no secret would refuse the commit.
 */
export function assertPathSecrets({ ratchetTree }: ClientState, commit: PathOfCommit): void {
  const { nodes } = commit.path
  const expected = secretsPerNode(ratchetTree, commit)
  const isWhole =
    nodes.length === expected.length && nodes.every((node, at) => node.encryptedPathSecret.length === expected[at])
  if (!isWhole) throw forbidden('a path has not one secret each')
}

/** Members that the same commit adds receive their secret with the welcome. */
function secretsPerNode(before: RatchetTree, commit: PathOfCommit): number[] {
  let tree = before
  for (const leaf of commit.removedLeaves) tree = removeLeafNode(tree, toLeafIndex(leaf))
  const added = new Set<number>()
  for (const leafNode of commit.addedLeafNodes) {
    const [next, node] = addLeafNode(tree, leafNode)
    tree = next
    added.add(node)
  }
  return filteredDirectPathAndCopathResolution(toLeafIndex(commit.committerLeaf), tree).map(
    ({ resolution }) => resolution.filter(node => !added.has(node)).length,
  )
}
