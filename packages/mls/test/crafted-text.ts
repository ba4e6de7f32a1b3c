// Texts that only a member with a modified client can make: sealed with the keys of the group, and wrong inside.
import { concatBytes } from '@postern/protocol'
import { signWithLabel } from 'ts-mls/crypto/signature.js'
import { encodeFramedContentTBS } from 'ts-mls/framedContent.js'
import { encodePrivateContentAAD, encryptSenderData } from 'ts-mls/privateMessage.js'
import { ratchetToGeneration } from 'ts-mls/secretTree.js'
import type { SenderData } from 'ts-mls/sender.js'
import type { GroupSession } from '../src/group/group-session.ts'
import { encodePrivateMessage } from '../src/group/private-message.ts'
import { ratchetsOf } from '../src/group/secret-rows.ts'
import { flipped, utf8 } from './bytes.ts'
import { cipherSuite } from './two-ways.ts'

interface Bend {
  /** The encrypted content, made from the regular one. */
  content?: (parts: { text: Uint8Array; signature: Uint8Array }) => Uint8Array
  signedText?: Uint8Array
  senderLeaf?: number
  /** Relative to the next one. */
  generationsOn?: number
  generation?: number
  senderData?: Uint8Array
  authenticatedData?: Uint8Array
}

const TEXT = utf8('hello')
const read = { senderLeaf: 0, skipped: 0 }
const refused = { code: 'mls-undecryptable' }
/** RFC 9420 §2.1.2, in the requested form. */
const vector = (bytes: Uint8Array, lengthBytes: 1 | 2 | 4 = bytes.length < 64 ? 1 : 2) => {
  const length = new Uint8Array(4)
  new DataView(length.buffer).setUint32(0, bytes.length)
  const head = length.subarray(4 - lengthBytes)
  head[0] = (head[0] as number) | { 1: 0, 2: 0x40, 4: 0x80 }[lengthBytes]
  return concatBytes(head, bytes)
}
const filled = (...parts: Uint8Array[]) => concatBytes(...parts, new Uint8Array(100))

const BENT: Record<string, { bend: Bend; told: object }> = {
  'a usual text': { bend: {}, told: read },
  'a text without padding': {
    bend: { content: ({ text, signature }) => concatBytes(vector(text), vector(signature)) },
    told: read,
  },
  'a length in two bytes that needs one': {
    bend: { content: ({ text, signature }) => filled(vector(text, 2), vector(signature)) },
    told: refused,
  },
  'a length in four bytes that needs two': {
    bend: { content: ({ text, signature }) => filled(vector(text), vector(signature, 4)) },
    told: refused,
  },
  'the signature of another text': { bend: { signedText: utf8('jello') }, told: refused },
  'a signature with one bit turned': {
    bend: { content: ({ text, signature }) => filled(vector(text), vector(flipped(signature, 40))) },
    told: refused,
  },
  'a signature that is a byte too short': {
    bend: { content: ({ text, signature }) => filled(vector(text), vector(signature.slice(1))) },
    told: refused,
  },
  'a signature that is a byte too long': {
    bend: { content: ({ text, signature }) => filled(vector(text), vector(concatBytes(signature, Uint8Array.of(0)))) },
    told: refused,
  },
  'padding that is not zero': {
    bend: { content: ({ text, signature }) => concatBytes(filled(vector(text), vector(signature)), Uint8Array.of(1)) },
    told: refused,
  },
  'a text without a signature': { bend: { content: ({ text }) => vector(text) }, told: refused },
  'a text that ends too early': { bend: { content: () => Uint8Array.of(0x7f, 0xff, 1, 2, 3) }, told: refused },
  'a length of eight bytes': { bend: { content: () => new Uint8Array(200).fill(0xc0) }, told: refused },
  'half a length': { bend: { content: () => Uint8Array.of(0x80) }, told: refused },
  'nothing at all': { bend: { content: () => new Uint8Array() }, told: refused },
  'one byte': { bend: { content: () => new Uint8Array(1) }, told: refused },
  'a text in the name of another': { bend: { senderLeaf: 2 }, told: refused },
  'a text in the name of its reader': { bend: { senderLeaf: 1 }, told: { code: 'mls-own-message' } },
  'a text from an empty leaf': { bend: { senderLeaf: 3 }, told: refused },
  'a text from outside of the tree': { bend: { senderLeaf: 77 }, told: refused },
  'a text from the last of all leaves': { bend: { senderLeaf: 2 ** 32 - 1 }, told: refused },
  'a number that was used': { bend: { generation: 0 }, told: { code: 'mls-replayed' } },
  'a number that skips one': { bend: { generationsOn: 1 }, told: { senderLeaf: 0, skipped: 1 } },
  'a number that is out of reach': { bend: { generationsOn: 201 }, told: refused },
  'the largest of all numbers': { bend: { generation: 2 ** 32 - 1 }, told: refused },
  'sender data of nonsense': { bend: { senderData: new Uint8Array(28).fill(7) }, told: refused },
  'data beside the text': { bend: { authenticatedData: utf8('data') }, told: { code: 'mls-malformed' } },
}

export const bentNames = Object.keys(BENT)
export const toldOfBent = (name: string): object => BENT[name]?.told ?? {}

export async function bentText(name: string, { state }: GroupSession): Promise<Uint8Array> {
  const { bend = {} } = BENT[name] ?? {}
  const { authenticatedData = new Uint8Array(), senderLeaf: leafIndex = state.privatePath.leafIndex } = bend
  const { groupId, epoch } = state.groupContext
  const place = { groupId, epoch, contentType: 'application', authenticatedData } as const
  const next = ratchetsOf(state.secretTree[2 * leafIndex])?.application.generation ?? 0
  const generation = bend.generation ?? next + (bend.generationsOn ?? 0)
  const senderData = { leafIndex, generation, reuseGuard: Uint8Array.of(1, 2, 3, 4) as SenderData['reuseGuard'] }
  const { key, nonce } = await keysOf(state, senderData)
  const signature = await signed(state, { ...place, leafIndex, applicationData: bend.signedText ?? TEXT })
  const content = bend.content ?? (parts => filled(vector(parts.text), vector(parts.signature)))
  const ciphertext = await cipherSuite.hpke.encryptAead(
    key,
    nonce,
    encodePrivateContentAAD(place),
    content({ text: TEXT, signature }),
  )
  const { senderDataSecret } = state.keySchedule
  const encryptedSenderData =
    bend.senderData ?? (await encryptSenderData(senderDataSecret, senderData, place, ciphertext, cipherSuite))
  return encodePrivateMessage({ ...place, encryptedSenderData, ciphertext })
}

/** For any leaf and number: if there are none, some others, as a liar would use. */
async function keysOf(state: GroupSession['state'], senderData: SenderData) {
  const config = { retainKeysForGenerations: 1000, retainKeysForEpochs: 1, maximumForwardRatchetSteps: 1000 }
  const of = (asked: SenderData) => ratchetToGeneration(state.secretTree, asked, 'application', config, cipherSuite)
  return await of(senderData).catch(() => of({ ...senderData, leafIndex: 2, generation: 500 }))
}

async function signed(
  { groupContext, signaturePrivateKey }: GroupSession['state'],
  content: {
    groupId: Uint8Array
    epoch: bigint
    authenticatedData: Uint8Array
    leafIndex: number
    applicationData: Uint8Array
  },
): Promise<Uint8Array> {
  const { leafIndex, ...rest } = content
  const toBeSigned = encodeFramedContentTBS({
    protocolVersion: 'mls10',
    wireformat: 'mls_private_message',
    content: { ...rest, contentType: 'application', sender: { senderType: 'member', leafIndex } },
    senderType: 'member',
    context: groupContext,
  })
  return await signWithLabel(signaturePrivateKey, 'FramedContentTBS', toBeSigned, cipherSuite.signature)
}
