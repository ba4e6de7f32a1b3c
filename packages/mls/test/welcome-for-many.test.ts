// A welcome for many: values that are the same for all newcomers are computed once.
import { copyBytes } from '@postern/protocol'
import { describe, expect, it } from 'vitest'
import { aes128 } from '../src/crypto/aes-node.ts'
import { hmac } from '../src/crypto/hash-node.ts'
import { makeHpke } from '../src/crypto/hpke.ts'
import { commitIntent } from '../src/group/commit-intent.ts'
import { type GroupSession, rosterOf } from '../src/group/group-session.ts'
import { context, join, keyPackageOf, newGroup, person, provider, wanted } from './people.ts'

const COUNT = 40

/** A committer whose sealed infos are recorded. */
function noted(session: GroupSession) {
  const infos: Uint8Array[] = []
  const { hpke } = provider.cipherSuite
  const seal: typeof hpke.seal = (publicKey, plaintext, info, aad) => {
    infos.push(info)
    return hpke.seal(publicKey, plaintext, info, aad)
  }
  const cipherSuite = { ...provider.cipherSuite, hpke: { ...hpke, seal } }
  return { infos, committer: { ...session, context: { ...context, provider: { ...provider, cipherSuite } } } }
}

/** The keys do not matter here: only the hashes do. */
function countedHpke() {
  const count = { hashedBytes: 0 }
  const key = (byte: number) => ({ raw: new Uint8Array(32).fill(byte), native: undefined })
  const hpke = makeHpke({
    ...aes128,
    hmac(secret, message) {
      count.hashedBytes += message.length
      return hmac(secret, message)
    },
    x25519: {
      generate: () => key(1),
      importSecret: raw => ({ raw: copyBytes(raw), native: undefined }),
      importPublic: raw => ({ raw: copyBytes(raw), native: undefined }),
      publicOf: () => key(2),
      agree: () => new Uint8Array(32).fill(3),
    },
  })
  return { count, hpke }
}

describe('[MLS-1.5] a welcome for many', () => {
  it('is sealed for one and the same info, and each of them gets in', async () => {
    const people = await Promise.all(Array.from({ length: COUNT }, (_, at) => person(`member ${at}`)))
    const keyPackages = await Promise.all(people.map(one => keyPackageOf(one)))
    const { infos, committer } = noted(await newGroup(await person('alice')))
    const add = people.map((one, at) => wanted(one, keyPackages[at] as (typeof keyPackages)[number]))
    const made = await commitIntent(committer, { add })
    const large = infos.filter(({ length }) => length > COUNT * 100)
    expect(large).toHaveLength(COUNT)
    expect(new Set(large).size).toBe(1)
    for (const at of [0, 1, COUNT - 1])
      expect(rosterOf(await join(made, keyPackages[at] as (typeof keyPackages)[number])).size).toBe(COUNT + 1)
  })

  it('hashes that info once, and another one anew', async () => {
    const { count, hpke } = countedHpke()
    const publicKey = await hpke.importPublicKey(new Uint8Array(32).fill(9))
    const info = new Uint8Array(100_000)
    const seal = (bytes: Uint8Array) => hpke.seal(publicKey, Uint8Array.of(7), bytes)
    const first = await seal(info)
    for (let times = 1; times < COUNT; times++) expect(await seal(info)).toEqual(first)
    expect(count.hashedBytes).toBeLessThan(2 * info.length)
    expect(await seal(copyBytes(info))).toEqual(first)
    const other = copyBytes(info)
    other[99_999] = 1
    expect((await seal(other)).ct).not.toEqual(first.ct)
    expect((await seal(new Uint8Array(100))).ct).not.toEqual((await seal(new Uint8Array(101))).ct)
  })
})
