// Cryptography in Node: node:crypto, synchronous, with the key objects of long-lived keys kept.
import crypto, { type KeyObject } from 'node:crypto'
import { copyBytes } from '@postern/protocol'
import type { CiphersuiteImpl } from 'ts-mls'
import { aes128, aes256, shortAes } from './crypto/aes-node.ts'
import { type Ed25519Options, generateSigningKey, makeEd25519 } from './crypto/ed25519-node.ts'
import { hmac, sha256, sha512 } from './crypto/hash-node.ts'
import { type HpkePrimitives, makeHpke, makeKdf, type PublicHandle, type SecretHandle } from './crypto/hpke.ts'
import { publicKeyObject, rawPublic, rawSecret, secretKeyObject } from './crypto/key-objects-node.ts'
import { MLS_SUITE, type MlsProvider } from './crypto/provider.ts'
import { makeRandomBytes } from './crypto/random-node.ts'
import { makeFastPath } from './group/fast-path.ts'

const x25519: HpkePrimitives['x25519'] = {
  generate() {
    const { privateKey } = crypto.generateKeyPairSync('x25519')
    return { native: privateKey, raw: rawSecret(privateKey) }
  },
  importSecret: (raw): SecretHandle => ({ native: secretKeyObject('X25519', raw), raw: copyBytes(raw) }),
  importPublic: (raw): PublicHandle => ({ native: publicKeyObject('X25519', raw), raw: copyBytes(raw) }),
  publicOf(secret) {
    const native = crypto.createPublicKey(secret.native as KeyObject)
    return { native, raw: rawPublic(native) }
  },
  agree: (secret, theirs) =>
    crypto.diffieHellman({ privateKey: secret.native as KeyObject, publicKey: theirs.native as KeyObject }),
}

export interface NodeProviderOptions extends Ed25519Options {
  /** For tests: the same bytes give the same results. */
  randomBytes?: (count: number) => Uint8Array
}

export function makeNodeProvider(options: NodeProviderOptions = {}): MlsProvider {
  const { randomBytes = makeRandomBytes() } = options
  const ed25519 = makeEd25519(options)
  const signing: Pick<MlsProvider, 'sign' | 'verify' | 'generateSigningKey'> = {
    sign: async (secretKey, message) => ed25519.sign(secretKey, message),
    verify: async (publicKey, message, signature) => ed25519.verify(publicKey, message, signature),
    generateSigningKey: async () => generateSigningKey(),
  }
  const cipherSuite: CiphersuiteImpl = {
    name: MLS_SUITE,
    hpke: makeHpke({ hmac, ...aes128, x25519 }),
    kdf: makeKdf({ hmac }),
    rng: { randomBytes },
    signature: {
      sign: signing.sign,
      verify: signing.verify,
      async keygen() {
        const { publicKey, secretKey } = generateSigningKey()
        return { publicKey, signKey: secretKey }
      },
    },
    hash: {
      digest: async bytes => sha256(bytes),
      mac: async (key, bytes) => hmac(key, bytes),
      async verifyMac(key, mac, bytes) {
        const expected = hmac(key, bytes)
        return expected.length === mac.length && crypto.timingSafeEqual(expected, mac)
      },
    },
  }
  return {
    cipherSuite,
    sha256,
    sha512,
    randomBytes,
    agreementPublicKey: secretKey => x25519.publicOf(x25519.importSecret(secretKey)).raw,
    ...signing,
    fastPath: makeFastPath({ hmac, ...shortAes, ...ed25519, randomBytes }),
    aeadSeal: async ({ key, nonce, aad }, plaintext) => aes256.aesSeal(key, nonce, aad, plaintext),
    aeadOpen: async ({ key, nonce, aad }, ciphertext) => aes256.aesOpen(key, nonce, aad, ciphertext),
  }
}
