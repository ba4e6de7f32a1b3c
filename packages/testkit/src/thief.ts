// A thief with a copy of the stored data, its key included, and with everything that ever passed the relay: what can
// the thief read? Written from RFC 9420 §8 and §9 and not with the client's own functions, because it tries some
// hundred thousand keys.
import { createCipheriv, hash } from 'node:crypto'
import { type GroupSession, KEY_BYTES, NONCE_BYTES, readPrivateMessage, TAG_BYTES } from '@postern/mls'
import { makeNodeProvider } from '@postern/mls/node'
import type { PrivateMessage } from 'ts-mls'
import { decryptSenderData } from 'ts-mls/privateMessage.js'
import { leafWidth, root } from 'ts-mls/treemath.js'

const { cipherSuite } = makeNodeProvider()
const AEAD_KEY_BYTES = 16
const BLOCK_BYTES = 16
const NOTHING = new Uint8Array(0)
/** Trees of up to four leaves. */
const HEIGHT_MAX = 2

type Sender = { leafIndex: number; generation: number; reuseGuard: Uint8Array }
type Target = { message: PrivateMessage; sender: Sender }

/**
 * For a text shorter than its padding: true if any run of the stored bytes opens it, as the epoch's secret, the secret
 * of a subtree or of a ratchet at any generation, or as a key with its nonce.
 */
export async function canRead(stored: readonly Uint8Array[], wire: Uint8Array): Promise<boolean> {
  const message = readPrivateMessage(wire)
  const sender = await senderOf(stored, message)
  if (sender === undefined) return false
  const target = { message, sender }
  for (const run of runsOf(stored, AEAD_KEY_BYTES + NONCE_BYTES))
    if (opens(target, { key: run.subarray(0, AEAD_KEY_BYTES), nonce: run.subarray(AEAD_KEY_BYTES) })) return true
  for (const secret of runsOf(stored, KEY_BYTES)) {
    const encryption = derived(secret, 'encryption')
    if (opensByRatchet(target, secret) || opensByTree(target, secret) || opensByTree(target, encryption)) return true
  }
  return false
}

/** Every secret that the key of a text was derived from, in a session that has used nothing of its epoch yet. */
export async function secretsBehind({ state }: GroupSession, wire: Uint8Array): Promise<Uint8Array[]> {
  const sender = await decryptSenderData(readPrivateMessage(wire), state.keySchedule.senderDataSecret, cipherSuite)
  const top = state.secretTree[root(leafWidth(state.secretTree.length))]
  if (sender === undefined || !(top instanceof Uint8Array)) throw new Error('the epoch was used, or not by this text')
  const secrets = [top]
  for (let level = Math.log2(leafWidth(state.secretTree.length)) - 1; level >= 0; level--)
    secrets.unshift(derived(secrets[0] as Uint8Array, 'tree', { context: sideAt(sender, level) }))
  secrets.unshift(derived(secrets[0] as Uint8Array, 'application'))
  for (let generation = 0; generation < sender.generation; generation++)
    secrets.unshift(derived(secrets[0] as Uint8Array, 'secret', { context: number(generation) }))
  const [last] = secrets as [Uint8Array]
  return [derived(last, 'key', { context: number(sender.generation), length: AEAD_KEY_BYTES }), ...secrets]
}

export const holdsAny = (stored: readonly Uint8Array[], secrets: readonly Uint8Array[]): boolean =>
  stored.some(bytes => secrets.some(secret => Buffer.from(bytes).includes(Buffer.from(secret))))

function* runsOf(stored: readonly Uint8Array[], length: number): Generator<Uint8Array> {
  for (const bytes of stored) for (let at = 0; at + length <= bytes.length; at++) yield bytes.subarray(at, at + length)
}

async function senderOf(stored: readonly Uint8Array[], message: PrivateMessage): Promise<Sender | undefined> {
  for (const secret of runsOf(stored, KEY_BYTES)) {
    const sender = await decryptSenderData(message, secret.slice(), cipherSuite).catch(() => undefined)
    if (sender !== undefined) return sender
  }
  return undefined
}

/** As the secret of the subtree at each height above the sender's leaf. */
function opensByTree(target: Target, secret: Uint8Array): boolean {
  for (let height = 0; height <= HEIGHT_MAX; height++) {
    let node = secret
    for (let level = height - 1; level >= 0; level--)
      node = derived(node, 'tree', { context: sideAt(target.sender, level) })
    if (opensFrom(target, { secret: derived(node, 'application'), generation: 0 })) return true
  }
  return false
}

const sideAt = ({ leafIndex }: Pick<Sender, 'leafIndex'>, level: number) =>
  Buffer.from((leafIndex >> level) & 1 ? 'right' : 'left')

function opensByRatchet(target: Target, secret: Uint8Array): boolean {
  for (let generation = 0; generation <= target.sender.generation; generation++)
    if (opensFrom(target, { secret, generation })) return true
  return false
}

function opensFrom(target: Target, from: { secret: Uint8Array; generation: number }): boolean {
  let { secret, generation } = from
  for (; generation < target.sender.generation; generation++)
    secret = derived(secret, 'secret', { context: number(generation) })
  const context = number(generation)
  const key = derived(secret, 'key', { context, length: AEAD_KEY_BYTES })
  return opens(target, { key, nonce: derived(secret, 'nonce', { context, length: NONCE_BYTES }) })
}

/** The last block of a short text is padding: only the right key decrypts it to zeros. */
function opens({ message, sender }: Target, { key, nonce }: { key: Uint8Array; nonce: Uint8Array }): boolean {
  const textBytes = message.ciphertext.length - TAG_BYTES
  const counter = Buffer.alloc(BLOCK_BYTES)
  for (const [at, byte] of nonce.entries()) counter[at] = byte ^ (sender.reuseGuard[at] ?? 0)
  counter.writeUInt32BE(1 + textBytes / BLOCK_BYTES, NONCE_BYTES)
  const stream = createCipheriv('aes-128-ecb', key, null).update(counter)
  return stream.equals(message.ciphertext.subarray(textBytes - BLOCK_BYTES, textBytes))
}

/** ExpandWithLabel of RFC 9420 §8: at most one block of HKDF. HMAC is written out: createHmac takes five times as long. */
function derived(
  secret: Uint8Array,
  label: string,
  { context = NOTHING, length = KEY_BYTES }: { context?: Uint8Array; length?: number } = {},
): Uint8Array {
  const name = Buffer.from(`MLS 1.0 ${label}`)
  const info = [Uint8Array.of(0, length, name.length), name, Uint8Array.of(context.length), context, Uint8Array.of(1)]
  // By hand, because a thief derives millions.
  const pad = (mask: number): Uint8Array => {
    const block = new Uint8Array(64).fill(mask)
    for (let at = 0; at < secret.length; at++) block[at]! ^= secret[at]!
    return block
  }
  const inner = hash('sha256', Buffer.concat([pad(0x36), ...info]), 'buffer')
  return hash('sha256', Buffer.concat([pad(0x5c), inner]), 'buffer').subarray(0, length)
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
