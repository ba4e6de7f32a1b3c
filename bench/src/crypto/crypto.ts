// One text in a group of two: MLS as core does it, compared with the signature and the cipher alone.
import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto'
import { inTurn, median } from '../figures.ts'
import { decryptMessage, encryptMessage, makeNodeProvider } from '../inside.ts'
import type { Row } from '../table.ts'
import { makeMlsPair } from './mls-pair.ts'

const ROUNDS = 9
const TEXTS = 500
const text = randomBytes(100)

type Timed = { encryptUs: number[]; decryptUs: number[] }
type Messenger = { encrypt(): Promise<Uint8Array>; decrypt(wire: Uint8Array): Promise<unknown> }

export async function measureCrypto(): Promise<Row[]> {
  const mls: Timed = { encryptUs: [], decryptUs: [] }
  const raw: Timed = { encryptUs: [], decryptUs: [] }
  const [mlsMessenger, rawMessenger] = [await mlsPair(), await rawPair()]
  for (const messenger of [mlsMessenger, rawMessenger]) await time(messenger, { encryptUs: [], decryptUs: [] })
  await inTurn(ROUNDS, [() => time(mlsMessenger, mls), () => time(rawMessenger, raw)])
  const row = (what: keyof Timed, peer: string): Row => ({
    what: `MLS ${what.slice(0, -2)}, 100 bytes, 2 members`,
    ours: median(mls[what]),
    unit: 'µs',
    peer: { what: peer, figure: median(raw[what]), better: 'less' },
  })
  return [row('encryptUs', 'Ed25519 sign + AES-GCM'), row('decryptUs', 'Ed25519 verify + AES-GCM')]
}

/** In blocks, as far as one side may be ahead of the other. */
async function time(messenger: Messenger, into: Timed): Promise<void> {
  const wires: Uint8Array[] = []
  const startedMs = performance.now()
  for (let at = 0; at < TEXTS; at++) wires.push(await messenger.encrypt())
  const encryptedMs = performance.now()
  for (const wire of wires) await messenger.decrypt(wire)
  into.encryptUs.push(((encryptedMs - startedMs) * 1000) / TEXTS)
  into.decryptUs.push(((performance.now() - encryptedMs) * 1000) / TEXTS)
}

async function mlsPair(): Promise<Messenger> {
  let { alice, bob } = await makeMlsPair()
  return {
    async encrypt() {
      const { session, wire } = await encryptMessage(alice, text)
      alice = session
      return wire
    },
    async decrypt(wire) {
      bob = (await decryptMessage(bob, wire)).session
    },
  }
}

/** With the Ed25519 that MLS uses here: the comparison is about the work around it. */
async function rawPair(): Promise<Messenger> {
  const provider = makeNodeProvider()
  const { secretKey, publicKey } = await provider.generateSigningKey()
  const key = createSecretKey(randomBytes(16))
  const nonce = randomBytes(12)
  return {
    async encrypt() {
      const cipher = createCipheriv('aes-128-gcm', key, nonce)
      const sealed = cipher.update(Buffer.concat([await provider.sign(secretKey, text), text]))
      cipher.final()
      return Buffer.concat([sealed, cipher.getAuthTag()])
    },
    async decrypt(wire) {
      const decipher = createDecipheriv('aes-128-gcm', key, nonce, { authTagLength: 16 })
      decipher.setAuthTag(wire.subarray(-16))
      const opened = decipher.update(wire.subarray(0, -16))
      decipher.final()
      const isSigned = await provider.verify(publicKey, opened.subarray(64), opened.subarray(0, 64))
      if (!isSigned) throw new Error('it does not verify')
    },
  }
}
