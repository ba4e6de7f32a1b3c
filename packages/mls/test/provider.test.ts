// Both providers fulfil the contract, and each reads the other's output.
import { type Log, silentLog } from '@postern/protocol'
import { describe, expect, it } from 'vitest'
import { makeBrowserProvider } from '../src/crypto/provider-browser.ts'
import { makeNodeProvider } from '../src/provider-node.ts'
import { utf8 } from './bytes.ts'
import { describeProvider } from './provider.contract.ts'

const providers = {
  'node by itself': async () => makeNodeProvider({ architecture: 'arm64' }),
  'node with libsodium': async () => makeNodeProvider({ architecture: 'x64', log: failingLog }),
  'browser with WebCrypto': () => makeBrowserProvider(),
  'browser with noble alone': () => makeBrowserProvider({ crypto: 'noble' }),
  'browser whose WebCrypto has no Ed25519': () => makeBrowserProvider({ subtle: withoutEd25519(crypto.subtle) }),
}

/** A test that asks for libsodium and does not get it fails. */
const failingLog: Log = {
  ...silentLog,
  debug: (fields, text) => {
    throw new Error(text, { cause: fields })
  },
}

/** As browsers were until 2025: every call for Ed25519 is rejected. */
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

describe('libsodium', () => {
  it('[MLS-7.8] is asked for where it is quicker, by the first signature', async () => {
    let loaded = 0
    const loadSodium = () => {
      loaded += 1
      throw new Error('not here')
    }
    for (const architecture of ['arm64', 'x64']) {
      const provider = makeNodeProvider({ architecture, loadSodium })
      expect(loaded).toBe(0)
      await provider.sign(new Uint8Array(32), utf8('hi'))
    }
    expect(loaded).toBe(1)
  })
  it('[MLS-7.8] is done without where it cannot be loaded, which a log says once and softly', async () => {
    const lines: string[] = []
    const louder = () => lines.push('louder')
    const log: Log = { debug: (_, line) => lines.push(line), info: louder, warn: louder, error: louder }
    const loadSodium = () => {
      throw new Error('no binary for this system')
    }
    const provider = makeNodeProvider({ architecture: 'x64', loadSodium, log })
    const { publicKey, secretKey } = await provider.generateSigningKey()
    for (const word of ['one', 'two']) {
      expect(await provider.verify(publicKey, utf8(word), await provider.sign(secretKey, utf8(word)))).toBe(true)
    }
    expect(lines).toEqual([expect.stringContaining('node:crypto')])
  })
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
