// Our patched library with OpenMLS (Rust, as WebAssembly): each joins the other's group, and both talk and commit.
import {
  type CiphersuiteImpl,
  type ClientState,
  createApplicationMessage,
  createCommit,
  createGroup,
  decodeMlsMessage,
  defaultCapabilities,
  emptyPskIndex,
  encodeMlsMessage,
  generateKeyPackage,
  getCiphersuiteFromName,
  getCiphersuiteImpl,
  joinGroup,
  processPrivateMessage,
} from 'ts-mls'
import { encode } from 'ts-mls/codec/tlsEncoder.js'
import { decodeKeyPackage, keyPackageEncoder } from 'ts-mls/keyPackage.js'
import { decodeRatchetTree, ratchetTreeEncoder } from 'ts-mls/ratchetTree.js'
import { beforeAll, describe, expect, it } from 'vitest'
import { text, utf8 } from './bytes.ts'
import { findHpkeThere, foreignFile, foreignModule } from './foreign-packages.ts'

interface OpenGroup {
  add(keyPackage: Uint8Array): { welcome: Uint8Array; ratchetTree: Uint8Array }
  send(text: string): Uint8Array
  receiveText(wire: Uint8Array): string
  receive(wire: Uint8Array): Uint8Array
}
interface OpenClient {
  createGroup(name: string): OpenGroup
  joinGroup(welcome: Uint8Array, ratchetTree: Uint8Array): OpenGroup
  keyPackage(): Uint8Array
}

const main = foreignFile('mls-ts/dist/index.js')

const openMls = () => foreignModule<{ MlsClient: new (name: string) => OpenClient }>(main as string).MlsClient

/** The one suite that this build of OpenMLS has. */
const suiteName = 'MLS_128_DHKEMX25519_CHACHA20POLY1305_SHA256_Ed25519'
let suite: CiphersuiteImpl
beforeAll(async () => {
  if (main === undefined) return
  findHpkeThere()
  suite = await getCiphersuiteImpl(getCiphersuiteFromName(suiteName))
})

const packageOf = (name: string) => {
  const nowSec = BigInt(Math.floor(Date.now() / 1000))
  const lifetime = { notBefore: nowSec - 3600n, notAfter: nowSec + 60n * 86_400n }
  const credential = { credentialType: 'basic', identity: utf8(name) } as const
  return generateKeyPackage(credential, defaultCapabilities(), lifetime, [], suite)
}

function messageIn(wire: Uint8Array) {
  const [message] = decodeMlsMessage(wire, 0) ?? []
  if (message === undefined) throw new Error('it does not decode')
  return message
}

async function said(state: ClientState, words: string): Promise<{ state: ClientState; wire: Uint8Array }> {
  const { newState, privateMessage } = await createApplicationMessage(state, utf8(words), suite)
  return {
    state: newState,
    wire: encodeMlsMessage({ version: 'mls10', wireformat: 'mls_private_message', privateMessage }),
  }
}

async function read(state: ClientState, wire: Uint8Array): Promise<{ state: ClientState; words: string }> {
  const message = messageIn(wire)
  if (message.wireformat !== 'mls_private_message') throw new Error('not a private message')
  const result = await processPrivateMessage(state, message.privateMessage, emptyPskIndex, suite)
  if (result.kind !== 'applicationMessage') throw new Error('not a text')
  return { state: result.newState, words: text(result.message) }
}

describe.skipIf(main === undefined)('[MLS-7.9] OpenMLS', () => {
  it('adds us, and we talk and commit in its group', async () => {
    const OpenMls = openMls()
    const group = new OpenMls('alice').createGroup('club')
    const bob = await packageOf('bob')
    const added = group.add(encode(keyPackageEncoder)(bob.publicPackage))
    const message = messageIn(added.welcome)
    if (message.wireformat !== 'mls_welcome') throw new Error('not a welcome')
    const tree = decodeRatchetTree(added.ratchetTree, 0)?.[0]
    const { publicPackage, privatePackage } = bob
    const joined = await joinGroup(message.welcome, publicPackage, privatePackage, emptyPskIndex, suite, tree)
    const heard = await read(joined, group.send('hello bob'))
    expect(heard.words).toBe('hello bob')
    const answer = await said(heard.state, 'hello alice')
    expect(group.receiveText(answer.wire)).toBe('hello alice')
    const made = await createCommit({ state: answer.state, cipherSuite: suite })
    group.receive(encodeMlsMessage(made.commit))
    const later = await said(made.newState, 'after the commit')
    expect(group.receiveText(later.wire)).toBe('after the commit')
    expect((await read(later.state, group.send('so it is'))).words).toBe('so it is')
  })

  it('joins a group of ours', async () => {
    const OpenMls = openMls()
    const carol = await packageOf('carol')
    const founded = await createGroup(utf8('second'), carol.publicPackage, carol.privatePackage, [], suite)
    const dave = new OpenMls('dave')
    const [keyPackage] = decodeKeyPackage(dave.keyPackage(), 0) ?? []
    if (keyPackage === undefined) throw new Error('no key package')
    const made = await createCommit(
      { state: founded, cipherSuite: suite },
      { extraProposals: [{ proposalType: 'add', add: { keyPackage } }] },
    )
    if (made.welcome === undefined) throw new Error('no welcome')
    const welcome = encodeMlsMessage({ version: 'mls10', wireformat: 'mls_welcome', welcome: made.welcome })
    const group = dave.joinGroup(welcome, encode(ratchetTreeEncoder)(made.newState.ratchetTree))
    const hello = await said(made.newState, 'hello dave')
    expect(group.receiveText(hello.wire)).toBe('hello dave')
    expect((await read(hello.state, group.send('hello carol'))).words).toBe('hello carol')
  })
})
