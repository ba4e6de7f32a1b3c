// The contract of every MlsProvider: known answers of the RFCs, and refusal of forgeries.
import { beforeAll, describe, expect, it } from 'vitest'
import { MLS_SUITE, type MlsProvider } from '../src/crypto/provider.ts'
import { flipped, fromHex, hex, utf8 } from './bytes.ts'
import { CRAFTED_TEXT, craftedSignatures } from './crafted-signatures.ts'

/** RFC 9180 A.1.1: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-128-GCM, base mode. */
const HPKE = {
  info: fromHex('4f6465206f6e2061204772656369616e2055726e'),
  ikmR: fromHex('6db9df30aa07dd42ee5e8181afdb977e538f5e1fec8a06223f33f7013e525037'),
  skR: '4612c550263fc8ad58375df3f557aac531d26850903e55a9f23f21d8534e8ac8',
  pkR: '3948cfe0ad1ddb695d780e59077195da6c56506b027329794ab02bca80815c4d',
  enc: fromHex('37fda3567bdbd628e88668c3c8d7e97d1d1253b6d4ea6d44c150f741f1bf4431'),
  aad: utf8('Count-0'),
  ct: fromHex('f938558b5d72f1a23810b4be2ab4f84331acc02fc97babc53a52ae8218a355a96d8770ac83d07bea87e13c512a'),
  plaintext: utf8('Beauty is truth, truth beauty'),
  exports: [
    ['', '3853fe2b4035195a573ffc53856e77058e15d9ea064de3e59f4961d0095250ee'],
    ['00', '2e8f0b54673c7029649d4eb9d5e33bf1872cf76d623ff164ac185da9e88c21a5'],
    ['54657374436f6e74657874', 'e9e43065102c3836401bed8c3c3c75ae46be1639869391d62c61f1ec7af54931'],
  ] as const,
}

/** RFC 8032 §7.1, tests 1 and 2: secret key, public key, message, signature. */
const ED25519 = [
  [
    '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    '',
    'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  ],
  [
    '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
    '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    '72',
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  ],
] as const

export function describeProvider(name: string, make: () => Promise<MlsProvider>): void {
  describe(`provider ${name}`, () => {
    let provider: MlsProvider
    beforeAll(async () => {
      provider = await make()
    })
    describeHashes(() => provider)
    describeHpke(() => provider)
    describeSignatures(() => provider)
    describeAead(() => provider)
  })
}

function describeHashes(provider: () => MlsProvider): void {
  it('[MLS-7.1] names the suite and gives SHA-256 as FIPS 180-4 has it', () => {
    expect(provider().cipherSuite.name).toBe(MLS_SUITE)
    expect(hex(provider().sha256(utf8('abc')))).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })
  it('[MLS-7.1] derives the keys of RFC 5869, cases 1 and 3', async () => {
    const { kdf } = provider().cipherSuite
    const ikm = new Uint8Array(22).fill(0x0b)
    const prk = await kdf.extract(fromHex('000102030405060708090a0b0c'), ikm)
    expect(hex(prk)).toBe('077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5')
    expect(hex(await kdf.expand(prk, fromHex('f0f1f2f3f4f5f6f7f8f9'), 42))).toBe(
      '3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865',
    )
    const unsalted = await kdf.extract(new Uint8Array(0), ikm)
    expect(hex(unsalted)).toBe('19ef24a32c717b167f33a91d6f648bdf96596776afdb6377ac434c1c293ccb04')
    expect(hex(await kdf.expand(unsalted, new Uint8Array(0), 42))).toBe(
      '8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8',
    )
  })
  it('[MLS-7.1] makes the MACs of RFC 4231, for short and long keys, and checks them', async () => {
    const { hash } = provider().cipherSuite
    const jefe = await hash.mac(utf8('Jefe'), utf8('what do ya want for nothing?'))
    expect(hex(jefe)).toBe('5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843')
    const longKey = new Uint8Array(131).fill(0xaa)
    const long = await hash.mac(longKey, utf8('Test Using Larger Than Block-Size Key - Hash Key First'))
    expect(hex(long)).toBe('60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54')
    expect(await hash.verifyMac(utf8('Jefe'), jefe, utf8('what do ya want for nothing?'))).toBe(true)
    expect(await hash.verifyMac(utf8('Jefe'), flipped(jefe, 31), utf8('what do ya want for nothing?'))).toBe(false)
    expect(await hash.verifyMac(utf8('Jefe'), jefe.slice(0, 31), utf8('what do ya want for nothing?'))).toBe(false)
  })
  it('[MLS-7.1] hashes and MACs a megabyte as it does a word', async () => {
    const megabyte = new Uint8Array(1_000_000).fill(0x61)
    expect(hex(provider().sha256(megabyte))).toBe('cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0')
    const mac = await provider().cipherSuite.hash.mac(utf8('key'), megabyte)
    expect(await provider().cipherSuite.hash.verifyMac(utf8('key'), mac, megabyte)).toBe(true)
  })
  it('[MLS-7.3] gives bytes that are random and nobody else shares', () => {
    const [a, b] = [provider().randomBytes(32), provider().randomBytes(32)]
    expect(a).toHaveLength(32)
    expect(hex(a)).not.toBe(hex(b))
    expect(a.buffer.byteLength).toBe(32)
  })
  it('[MLS-7.3] gives few bytes at a time, as often as one likes, and never the same', () => {
    const given = Array.from({ length: 2000 }, () => provider().randomBytes(12))
    expect(new Set(given.map(hex)).size).toBe(given.length)
    expect(given.every(bytes => bytes.buffer.byteLength === 12)).toBe(true)
    // Random bytes are wiped once they are handed out: a second caller would get zeros. By chance it is 8 of 2000.
    expect(given.filter(bytes => bytes[0] === 0).length < 100).toBe(true)
  })
}

function describeHpke(provider: () => MlsProvider): void {
  it('[MLS-7.1] opens, derives and exports as RFC 9180 A.1.1', async () => {
    const { hpke } = provider().cipherSuite
    const { privateKey, publicKey } = await hpke.deriveKeyPair(HPKE.ikmR)
    expect(hex(await hpke.exportPrivateKey(privateKey))).toBe(HPKE.skR)
    expect(hex(await hpke.exportPublicKey(publicKey))).toBe(HPKE.pkR)
    expect(hex(provider().agreementPublicKey(fromHex(HPKE.skR)))).toBe(HPKE.pkR)
    const imported = await hpke.importPrivateKey(fromHex(HPKE.skR))
    expect(await hpke.open(imported, HPKE.enc, HPKE.ct, HPKE.info, HPKE.aad)).toEqual(HPKE.plaintext)
    for (const [context, secret] of HPKE.exports) {
      expect(hex(await hpke.importSecret(imported, fromHex(context), HPKE.enc, 32, HPKE.info))).toBe(secret)
    }
  })
  it('[MLS-7.2] refuses to open with a wrong tag, aad, info, key or enc', async () => {
    const { hpke } = provider().cipherSuite
    const own = await hpke.importPrivateKey(fromHex(HPKE.skR))
    const other = (await hpke.generateKeyPair()).privateKey
    const { enc, ct, info, aad } = HPKE
    await expect(hpke.open(own, enc, flipped(ct, ct.length - 1), info, aad)).rejects.toThrow()
    await expect(hpke.open(own, enc, ct, info, flipped(aad, 0))).rejects.toThrow()
    await expect(hpke.open(own, enc, ct, flipped(info, 0), aad)).rejects.toThrow()
    await expect(hpke.open(other, enc, ct, info, aad)).rejects.toThrow()
    await expect(hpke.open(own, enc.slice(1), ct, info, aad)).rejects.toThrow()
    await expect(hpke.open(own, enc, ct.slice(0, 15), info, aad)).rejects.toThrow()
  })
  it('[MLS-7.2] refuses points of small order, on either side', async () => {
    const { hpke } = provider().cipherSuite
    const own = await hpke.importPrivateKey(fromHex(HPKE.skR))
    const order8 = fromHex('e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800')
    for (const point of [new Uint8Array(32), order8]) {
      await expect(hpke.open(own, point, HPKE.ct, HPKE.info, HPKE.aad)).rejects.toThrow()
      await expect(hpke.importPublicKey(point).then(key => hpke.seal(key, HPKE.ct, HPKE.info))).rejects.toThrow()
    }
  })
  it('[MLS-7.2] refuses keys of another size', async () => {
    const { hpke } = provider().cipherSuite
    for (const size of [0, 31, 33]) {
      await expect(hpke.importPublicKey(new Uint8Array(size))).rejects.toThrow()
      await expect(hpke.importPrivateKey(new Uint8Array(size))).rejects.toThrow()
    }
  })
}

function describeSignatures(provider: () => MlsProvider): void {
  it('[MLS-7.1] signs as RFC 8032', async () => {
    for (const [secret, publicKey, message, signature] of ED25519) {
      expect(hex(await provider().sign(fromHex(secret), fromHex(message)))).toBe(signature)
      expect(await provider().verify(fromHex(publicKey), fromHex(message), fromHex(signature))).toBe(true)
    }
  })
  it('[MLS-7.2] refuses another message, key or signature, and never throws', async () => {
    const { publicKey, secretKey } = await provider().generateSigningKey()
    const other = await provider().generateSigningKey()
    const signature = await provider().sign(secretKey, utf8('yes'))
    expect(await provider().verify(publicKey, utf8('yes'), signature)).toBe(true)
    expect(await provider().verify(publicKey, utf8('no'), signature)).toBe(false)
    expect(await provider().verify(other.publicKey, utf8('yes'), signature)).toBe(false)
    for (const at of [0, 31, 32, 63]) {
      expect(await provider().verify(publicKey, utf8('yes'), flipped(signature, at))).toBe(false)
    }
    for (const size of [0, 31, 33, 63, 65]) {
      expect(await provider().verify(new Uint8Array(size), utf8('yes'), signature)).toBe(false)
      expect(await provider().verify(publicKey, utf8('yes'), new Uint8Array(size))).toBe(false)
    }
    expect(await provider().verify(new Uint8Array(32).fill(0xff), utf8('yes'), signature)).toBe(false)
  })
  it('[MLS-7.7] answers as all others to what is crafted', async () => {
    for (const { name, publicKey, signature, holds } of craftedSignatures()) {
      expect([name, await provider().verify(publicKey, CRAFTED_TEXT, signature)]).toEqual([name, holds])
    }
  })
  it('[MLS-7.3] does not sign with the key a buffer held before', async () => {
    const [first, second] = [await provider().generateSigningKey(), await provider().generateSigningKey()]
    const buffer = first.secretKey.slice()
    await provider().sign(buffer, utf8('warm'))
    buffer.set(second.secretKey)
    const signature = await provider().sign(buffer, utf8('warm'))
    expect(await provider().verify(second.publicKey, utf8('warm'), signature)).toBe(true)
  })
}

function describeAead(provider: () => MlsProvider): void {
  // McGrew and Viega's AES-GCM case 14: 256-bit zero key, zero nonce, one zero block.
  const zero = { key: new Uint8Array(32), nonce: new Uint8Array(12) }
  it('[MLS-7.1] seals as the published AES-256-GCM case', async () => {
    const sealed = await provider().aeadSeal(zero, new Uint8Array(16))
    expect(hex(sealed)).toBe('cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919')
    expect(await provider().aeadOpen(zero, sealed)).toEqual(new Uint8Array(16))
  })
  it('[MLS-7.2] refuses a bad tag, aad, nonce, key and a short text', async () => {
    const seal = { ...zero, aad: utf8('profile') }
    const sealed = await provider().aeadSeal(seal, utf8('hello'))
    expect(await provider().aeadOpen(seal, sealed)).toEqual(utf8('hello'))
    await expect(provider().aeadOpen(seal, flipped(sealed, sealed.length - 1))).rejects.toThrow()
    await expect(provider().aeadOpen(seal, flipped(sealed, 0))).rejects.toThrow()
    await expect(provider().aeadOpen(zero, sealed)).rejects.toThrow()
    await expect(provider().aeadOpen({ ...seal, nonce: new Uint8Array(12).fill(1) }, sealed)).rejects.toThrow()
    await expect(provider().aeadOpen({ ...seal, key: new Uint8Array(16) }, sealed)).rejects.toThrow()
    await expect(provider().aeadOpen(seal, sealed.slice(0, 15))).rejects.toThrow()
  })
}
