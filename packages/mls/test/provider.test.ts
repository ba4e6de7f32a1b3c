// Both providers keep the contract, and each reads what the other wrote.
import { describe, expect, it } from 'vitest'
import { makeBrowserProvider } from '../src/provider-browser.ts'
import { makeNodeProvider } from '../src/provider-node.ts'
import { utf8 } from './bytes.ts'
import { describeProvider } from './provider.contract.ts'

const providers = {
  node: async () => makeNodeProvider(),
  'browser with WebCrypto': () => makeBrowserProvider(),
  'browser with noble alone': () => makeBrowserProvider({ crypto: 'noble' }),
  'browser whose WebCrypto has no Ed25519': () => makeBrowserProvider({ subtle: withoutEd25519(crypto.subtle) }),
}

/** As browsers were until 2025: every call for Ed25519 is refused. */
function withoutEd25519(subtle: SubtleCrypto): SubtleCrypto {
  return new Proxy(subtle, {
    get:
      (_, name: keyof SubtleCrypto) =>
      async (...given: unknown[]) => {
        if (given.includes('Ed25519')) throw new DOMException('Unrecognized name.', 'NotSupportedError')
        return await Reflect.apply(subtle[name] as (...all: unknown[]) => unknown, subtle, given)
      },
  })
}

for (const [name, make] of Object.entries(providers)) describeProvider(name, make)

it('[MLS-7.6] signs without WebCrypto where that has no Ed25519', async () => {
  const provider = await providers['browser whose WebCrypto has no Ed25519']()
  const { publicKey, secretKey } = await provider.generateSigningKey()
  expect(await provider.verify(publicKey, utf8('hi'), await provider.sign(secretKey, utf8('hi')))).toBe(true)
})

describe('across providers', () => {
  const names = Object.keys(providers) as (keyof typeof providers)[]
  const pairs = names.flatMap(from => names.filter(to => to !== from).map(to => [from, to] as const))

  it.each(pairs)('[MLS-7.4] %s seals and signs, %s opens and verifies', async (from, to) => {
    const [sender, receiver] = [await providers[from](), await providers[to]()]
    const { publicKey, privateKey } = await receiver.cipherSuite.hpke.generateKeyPair()
    const rawPublic = await receiver.cipherSuite.hpke.exportPublicKey(publicKey)
    const theirs = await sender.cipherSuite.hpke.importPublicKey(rawPublic)
    const { enc, ct } = await sender.cipherSuite.hpke.seal(theirs, utf8('hi'), utf8('info'), utf8('aad'))
    expect(await receiver.cipherSuite.hpke.open(privateKey, enc, ct, utf8('info'), utf8('aad'))).toEqual(utf8('hi'))

    const key = await sender.generateSigningKey()
    expect(await receiver.verify(key.publicKey, utf8('hi'), await sender.sign(key.secretKey, utf8('hi')))).toBe(true)

    const seal = { key: sender.randomBytes(32), nonce: sender.randomBytes(12), aad: utf8('aad') }
    expect(await receiver.aeadOpen(seal, await sender.aeadSeal(seal, utf8('hi')))).toEqual(utf8('hi'))
  })
})
