// The working group's own numbers: ts-mls on our providers computes the same as every other implementation.
import { decodeMlsMessage } from 'ts-mls'
import { refhash } from 'ts-mls/crypto/hash.js'
import { decryptWithLabel, encryptWithLabel } from 'ts-mls/crypto/hpke.js'
import { deriveSecret, deriveTreeSecret, expandWithLabel } from 'ts-mls/crypto/kdf.js'
import { signWithLabel, verifyWithLabel } from 'ts-mls/crypto/signature.js'
import { initializeEpoch } from 'ts-mls/keySchedule.js'
import { unprotectPrivateMessage } from 'ts-mls/messageProtection.js'
import { createSecretTree, ratchetToGeneration } from 'ts-mls/secretTree.js'
import { expandSenderDataKey, expandSenderDataNonce, type SenderData } from 'ts-mls/sender.js'
import { beforeAll, describe, expect, it } from 'vitest'
import { MLS_SUITE, type MlsProvider } from '../src/crypto/provider.ts'
import { makeBrowserProvider } from '../src/crypto/provider-browser.ts'
import { makeNodeProvider } from '../src/provider-node.ts'
import { fromHex, hex } from './bytes.ts'
import { pair } from './people.ts'
import { cryptoBasics, keySchedule, messageProtection, secretTrees } from './vectors/rfc9420-suite1.ts'

const retention = { retainKeysForGenerations: 1, retainKeysForEpochs: 1, maximumForwardRatchetSteps: 20 }

describe.each([
  ['node', async () => makeNodeProvider()],
  ['browser', () => makeBrowserProvider()],
])('RFC 9420 with the %s provider', (_name, make) => {
  let suite: MlsProvider['cipherSuite']
  beforeAll(async () => {
    suite = (await make()).cipherSuite
  })

  it('[MLS-7.5] derives, hashes and signs with labels', async () => {
    const { deriveSecret: derived, deriveTreeSecret: tree, expandWithLabel: expanded, refHash } = cryptoBasics
    expect(hex(await deriveSecret(fromHex(derived.secret), derived.label, suite.kdf))).toBe(derived.out)
    const inTree = await deriveTreeSecret(fromHex(tree.secret), tree.label, tree.generation, tree.length, suite.kdf)
    expect(hex(inTree)).toBe(tree.out)
    const { secret, label, context, length } = expanded
    expect(hex(await expandWithLabel(fromHex(secret), label, fromHex(context), length, suite.kdf))).toBe(expanded.out)
    expect(hex(await refhash(refHash.label, fromHex(refHash.value), suite.hash))).toBe(refHash.out)
    const { signWithLabel: signed } = cryptoBasics
    const content = fromHex(signed.content)
    const signature = await signWithLabel(fromHex(signed.secretKey), signed.label, content, suite.signature)
    expect(hex(signature)).toBe(signed.signature)
    expect(await verifyWithLabel(fromHex(signed.publicKey), signed.label, content, signature, suite.signature)).toBe(
      true,
    )
  })

  it('[MLS-7.5] encrypts with labels', async () => {
    const { encryptWithLabel: vector } = cryptoBasics
    const secretKey = await suite.hpke.importPrivateKey(fromHex(vector.secretKey))
    const context = fromHex(vector.context)
    const open = (enc: Uint8Array, ct: Uint8Array) =>
      decryptWithLabel(secretKey, vector.label, context, enc, ct, suite.hpke)
    expect(hex(await open(fromHex(vector.kemOutput), fromHex(vector.ciphertext)))).toBe(vector.plaintext)
    const publicKey = await suite.hpke.importPublicKey(fromHex(vector.publicKey))
    const sealed = await encryptWithLabel(publicKey, vector.label, context, fromHex(vector.plaintext), suite.hpke)
    expect(hex(await open(sealed.enc, sealed.ct))).toBe(vector.plaintext)
  })

  it.each(secretTrees)('[MLS-7.5] ratchets a tree of $leaves.length leaves', async vector => {
    const { generation, leaves } = vector
    const [secret, ciphertext] = [fromHex(vector.senderDataSecret), fromHex(vector.ciphertext)]
    expect(hex(await expandSenderDataKey(suite, secret, ciphertext))).toBe(vector.senderDataKey)
    expect(hex(await expandSenderDataNonce(suite, secret, ciphertext))).toBe(vector.senderDataNonce)
    const tree = await createSecretTree(leaves.length, fromHex(vector.encryptionSecret), suite.kdf)
    for (const [leafIndex, expected] of leaves.entries()) {
      const reuseGuard = new Uint8Array(4) as SenderData['reuseGuard']
      const sender = { leafIndex, generation, reuseGuard }
      const application = await ratchetToGeneration(tree, sender, 'application', retention, suite)
      const handshake = await ratchetToGeneration(tree, sender, 'commit', retention, suite)
      expect([application.key, application.nonce, handshake.key, handshake.nonce].map(hex)).toEqual(expected)
    }
  })

  it('[MLS-7.5] schedules the keys of two epochs', async () => {
    let initSecret = fromHex(keySchedule.initSecret)
    for (const [number, vector] of keySchedule.epochs.entries()) {
      const groupContext = {
        version: 'mls10',
        cipherSuite: MLS_SUITE,
        groupId: fromHex(keySchedule.groupId),
        epoch: BigInt(number),
        treeHash: fromHex(vector.treeHash),
        confirmedTranscriptHash: fromHex(vector.confirmedTranscriptHash),
        extensions: [],
      } as const
      const [commitSecret, pskSecret] = [fromHex(vector.commitSecret), fromHex(vector.pskSecret)]
      const context = { ...groupContext, extensions: [] }
      const made = await initializeEpoch(initSecret, commitSecret, context, pskSecret, suite.kdf)
      expect(hex(made.joinerSecret)).toBe(vector.joinerSecret)
      expect(hex(made.welcomeSecret)).toBe(vector.welcomeSecret)
      expect(hex(made.encryptionSecret)).toBe(vector.encryptionSecret)
      const keys = Object.fromEntries(Object.entries(made.keySchedule).map(([name, key]) => [name, hex(key)]))
      expect(keys).toEqual(vector.keys)
      initSecret = made.keySchedule.initSecret
    }
  })

  it('[MLS-7.5] opens private messages', async () => {
    const vector = messageProtection
    const groupContext = {
      version: 'mls10' as const,
      cipherSuite: MLS_SUITE as typeof MLS_SUITE,
      groupId: fromHex(vector.groupId),
      epoch: vector.epoch,
      treeHash: fromHex(vector.treeHash),
      confirmedTranscriptHash: fromHex(vector.confirmedTranscriptHash),
      extensions: [],
    }
    const tree = await createSecretTree(2, fromHex(vector.encryptionSecret), suite.kdf)
    const open = async (wire: string) => {
      const [message] = decodeMlsMessage(fromHex(wire), 0) ?? []
      if (message?.wireformat !== 'mls_private_message') throw new Error('not a private message')
      const { content } = await unprotectPrivateMessage(
        fromHex(vector.senderDataSecret),
        message.privateMessage,
        tree,
        [],
        groupContext,
        retention,
        suite,
        fromHex(vector.signaturePublicKey),
      )
      return content
    }
    const application = await open(vector.applicationMessage)
    expect(application.content).toMatchObject({
      applicationData: fromHex(vector.application),
      sender: { senderType: 'member', leafIndex: vector.senderLeaf },
    })
    const commit = await open(vector.commitMessage)
    expect(commit.auth).toMatchObject({ confirmationTag: fromHex(vector.confirmationTag) })
    expect(commit.content).toMatchObject({ commit: { proposals: [], path: undefined } })
  })
})

it('[MLS-9.4] the fast path opens the published message', async () => {
  const vector = messageProtection
  const { cipherSuite } = makeNodeProvider()
  const [message] = decodeMlsMessage(fromHex(vector.applicationMessage), 0) ?? []
  if (message?.wireformat !== 'mls_private_message') throw new Error('not a private message')
  // It is the first of its leaf, whose ratchet is in the right half of a tree of two (RFC 9420 §9).
  const inTree = (secret: Uint8Array, label: string, context: string) =>
    expandWithLabel(secret, label, new TextEncoder().encode(context), cipherSuite.kdf.size, cipherSuite.kdf)
  const leafSecret = await inTree(fromHex(vector.encryptionSecret), 'tree', 'right')
  const first = async (label: string) => ({
    secret: await inTree(leafSecret, label, ''),
    generation: 0,
    unusedGenerations: {},
  })
  const ratchets = { application: await first('application'), handshake: await first('handshake') }
  const alice = (await pair()).alice.state
  const leaf = alice.ratchetTree[0]
  if (leaf?.nodeType !== 'leaf') throw new Error('alice has no leaf')
  const state = {
    ...alice,
    groupContext: {
      ...alice.groupContext,
      groupId: fromHex(vector.groupId),
      epoch: vector.epoch,
      treeHash: fromHex(vector.treeHash),
      confirmedTranscriptHash: fromHex(vector.confirmedTranscriptHash),
      extensions: [],
    },
    keySchedule: { ...alice.keySchedule, senderDataSecret: fromHex(vector.senderDataSecret) },
    ratchetTree: [
      leaf,
      undefined,
      { ...leaf, leaf: { ...leaf.leaf, signaturePublicKey: fromHex(vector.signaturePublicKey) } },
    ],
    secretTree: [undefined, undefined, ratchets],
  }
  const read = makeNodeProvider().fastPath?.open(state, message.privateMessage)
  expect(hex(read?.text ?? new Uint8Array())).toBe(vector.application)
  expect(read?.senderLeaf).toBe(vector.senderLeaf)
})
