// The allowed parts of a commit, a key package and a welcome (RFC 9420 §7, §10 and §12), and their numbers. Each is
// walked before the library sees it. An oversized one is refused unread, so the error names nobody.
import { contentLimits, mlsLimits, wireLimits } from '@postern/protocol'
import { KEY_BYTES, SIGNATURE_BYTES, TAG_BYTES } from '../crypto/provider.ts'
import { MlsError } from '../mls-error.ts'
import { BoundedReader } from './bounded-reader.ts'

const HASH_BYTES = 32
const LIFETIME_BYTES = 16
const { extensionsMax, extensionBytesMax, capabilitiesMax, smallBytesMax } = mlsLimits
const { groupMembersMax: membersMax } = contentLimits

const malformed = (what: string) => new MlsError('mls-malformed', `The bytes are no structure of ours: ${what}.`)

/** The plaintext of a commit; its padding follows it. */
export function inspectCommit(bytes: Uint8Array): void {
  const reader = new BoundedReader(bytes)
  reader.list('proposals', mlsLimits.proposalsMax, proposalOrReference)
  reader.optional(path)
  reader.exactly('the signature', SIGNATURE_BYTES)
  reader.exactly('the confirmation tag', HASH_BYTES)
}

/** As an MLSMessage. */
export function inspectKeyPackage(bytes: Uint8Array): void {
  const reader = new BoundedReader(bytes)
  reader.skip(4)
  keyPackage(reader)
}

/** As an MLSMessage. */
export function inspectWelcome(bytes: Uint8Array): void {
  const reader = new BoundedReader(bytes)
  reader.skip(6)
  reader.list('people to welcome', membersMax, secret => {
    secret.data('a reference', smallBytesMax)
    secret.exactly('a share', KEY_BYTES)
    // Joiner secret, path secret, and no pre-shared keys.
    secret.data('the secrets of a group', smallBytesMax)
  })
}

export function inspectGroupInfo(bytes: Uint8Array): void {
  const reader = new BoundedReader(bytes)
  reader.skip(4)
  reader.data('the id of a group', smallBytesMax)
  reader.skip(8)
  for (const name of ['the tree hash', 'the transcript hash']) reader.data(name, smallBytesMax)
  extensions(reader)
  reader.list('extensions', extensionsMax, extension => {
    const isTree = extension.number(2) === RATCHET_TREE
    const data = extension.data('an extension', isTree ? wireLimits.welcomeBytesMax : extensionBytesMax)
    if (isTree) data.list('nodes', mlsLimits.treeNodesMax, node => node.optional(treeNode))
  })
}

const RATCHET_TREE = 2

function treeNode(reader: BoundedReader): void {
  const kind = reader.number(1)
  if (kind === 1) return leafNode(reader)
  if (kind !== 2) throw malformed(`a node of kind ${kind}`)
  reader.exactly('the key of a node', KEY_BYTES)
  reader.data('a parent hash', HASH_BYTES)
  reader.list('unmerged leaves', membersMax, leaf => leaf.skip(4))
}

function leafNode(reader: BoundedReader): void {
  reader.exactly('the key of a leaf', KEY_BYTES)
  reader.exactly('the signature key of a leaf', KEY_BYTES)
  credential(reader)
  for (const name of ['versions', 'cipher suites', 'extension types', 'proposal types', 'credential types'])
    reader.list(name, capabilitiesMax, type => type.skip(2))
  leafSource(reader)
  extensions(reader)
  reader.exactly('the signature of a leaf', SIGNATURE_BYTES)
}

function credential(reader: BoundedReader): void {
  const kind = reader.number(2)
  if (kind !== 1) throw malformed(`a credential of kind ${kind}`)
  reader.data('a credential', smallBytesMax)
}

function leafSource(reader: BoundedReader): void {
  const source = reader.number(1)
  if (source === 1) reader.skip(LIFETIME_BYTES)
  else if (source === 3) reader.data('a parent hash', HASH_BYTES)
  else if (source !== 2) throw malformed(`a leaf from source ${source}`)
}

function extensions(reader: BoundedReader): void {
  reader.list('extensions', extensionsMax, extension => {
    extension.skip(2)
    extension.data('an extension', extensionBytesMax)
  })
}

function keyPackage(reader: BoundedReader): void {
  const start = reader.at
  reader.skip(4)
  reader.exactly('the init key', KEY_BYTES)
  leafNode(reader)
  extensions(reader)
  reader.exactly('the signature of a key package', SIGNATURE_BYTES)
  if (reader.at - start > wireLimits.keyPackageBytesMax) throw malformed('a key package is too large')
}

function proposalOrReference(reader: BoundedReader): void {
  const kind = reader.number(1)
  if (kind === 1) proposal(reader)
  else if (kind === 2) reader.data('a reference', smallBytesMax)
  else throw malformed(`a proposal in form ${kind}`)
}

/** Kinds that we do not make are walked too: they are refused once their author is known. */
function proposal(reader: BoundedReader): void {
  const kind = reader.number(2)
  switch (kind) {
    case 1:
      return keyPackage(reader)
    case 2:
      return leafNode(reader)
    case 3:
      return reader.skip(4)
    case 4:
      return preSharedKey(reader)
    case 5:
      reader.data('the id of a group', smallBytesMax)
      reader.skip(4)
      return extensions(reader)
    case 7:
      return extensions(reader)
    default:
      reader.data('a proposal', extensionBytesMax)
  }
}

function preSharedKey(reader: BoundedReader): void {
  const isResumption = reader.number(1) === 2
  if (isResumption) reader.skip(1)
  reader.data('the id of a key', smallBytesMax)
  if (isResumption) reader.skip(8)
  reader.data('a nonce', smallBytesMax)
}

function path(reader: BoundedReader): void {
  leafNode(reader)
  reader.list('nodes of a path', mlsLimits.pathNodesMax, node => {
    node.exactly('the key of a node', KEY_BYTES)
    node.list('secrets of a path', membersMax, secret => {
      secret.exactly('a share', KEY_BYTES)
      secret.exactly('a sealed secret', KEY_BYTES + TAG_BYTES)
    })
  })
}
