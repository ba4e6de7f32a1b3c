// Everything has one form of bytes (RFC 9420 §2.1): ids are hashes of bytes, and another form would be another id.
import { concatBytes } from '@postern/protocol'
import { decodeUint8 } from 'ts-mls/codec/number.js'
import { decodeOptional } from 'ts-mls/codec/optional.js'
import { decodeVarLenData } from 'ts-mls/codec/variableLength.js'
import { unprotectPrivateMessage } from 'ts-mls/messageProtection.js'
import { describe, expect, it } from 'vitest'
import { inspectingSuite } from '../src/crypto/inspecting-suite.ts'
import { commitIntent } from '../src/group/commit-intent.ts'
import { welcomeReferences } from '../src/group/join-group.ts'
import { decodeKeyPackage } from '../src/group/key-package.ts'
import { readPrivateMessage } from '../src/group/private-message.ts'
import { BoundedReader } from '../src/wire/bounded-reader.ts'
import { inspectCommit } from '../src/wire/inspect.ts'
import { utf8 } from './bytes.ts'
import { add, keyPackageOf, pair, person, provider } from './people.ts'

/** The same vector after a longer length; its own is the shortest. */
function lengthened(bytes: Uint8Array, at: number): Uint8Array {
  const first = bytes[at] as number
  const longer = first < 64 ? [0x40, first] : [0x80, 0, first & 0x3f, bytes[at + 1] as number]
  return concatBytes(bytes.subarray(0, at), Uint8Array.from(longer), bytes.subarray(at + (first < 64 ? 1 : 2)))
}

describe('[MLS-6.2] a length that is not in its shortest form is refused', () => {
  it.each([
    ['of 0 in two bytes', [0x40, 0]],
    ['of 63 in two bytes', [0x40, 63]],
    ['of 63 in four bytes', [0x80, 0, 0, 63]],
    ['of 16,383 in four bytes', [0x80, 0, 0x3f, 0xff]],
  ])('%s', (_name, head) => {
    const bytes = concatBytes(Uint8Array.from(head), new Uint8Array(20_000))
    expect(() => decodeVarLenData(bytes, 0)).toThrow(/shortest form/)
    expect(() => new BoundedReader(bytes).data('data', 20_000)).toThrow(/shortest form/)
  })
  it.each([[63], [64], [16_383], [16_384]])('and %i in its own form is read', length => {
    const head =
      length < 64
        ? [length]
        : length < 16_384
          ? [0x40 | (length >> 8), length & 255]
          : [0x80, 0, length >> 8, length & 255]
    const bytes = concatBytes(Uint8Array.from(head), new Uint8Array(length))
    expect(decodeVarLenData(bytes, 0)?.[0]).toHaveLength(length)
    expect(() => new BoundedReader(bytes).data('data', 20_000)).not.toThrow()
  })
  it('in a key package', async () => {
    const { publicBytes } = await keyPackageOf(await person('alice'))
    expect(decodeKeyPackage(publicBytes)).toBeDefined()
    // The init key follows the version, the form, the version and the suite.
    expect(() => decodeKeyPackage(lengthened(publicBytes, 8))).toThrow(/does not decode/)
  })
  it('in a welcome', async () => {
    const { alice } = await pair()
    const { made } = await add(alice, await person('carol'))
    const welcome = made.welcome as Uint8Array
    expect(welcomeReferences(welcome)).toHaveLength(1)
    expect(() => welcomeReferences(lengthened(welcome, 6))).toThrow(/does not decode/)
  })
  it('in a commit, which is walked before it is decoded', async () => {
    const { alice, bob } = await pair()
    const { wire } = await commitIntent(alice, { settings: utf8('new') })
    const { keySchedule, secretTree, ratchetTree, groupContext, clientConfig } = bob.state
    const message = readPrivateMessage(wire)
    let plain = new Uint8Array()
    await unprotectPrivateMessage(
      keySchedule.senderDataSecret,
      message,
      secretTree,
      ratchetTree,
      groupContext,
      clientConfig.keyRetentionConfig,
      inspectingSuite(provider.cipherSuite, message.ciphertext, bytes => {
        plain = bytes.slice()
      }),
    )
    expect(() => inspectCommit(plain)).not.toThrow()
    expect(() => inspectCommit(lengthened(plain, 0))).toThrow(/shortest form/)
  })
})

it('[MLS-6.2] an optional value is marked by 0 or 1, and by nothing else', () => {
  const read = decodeOptional(decodeUint8)
  expect(read(Uint8Array.of(0, 7), 0)).toEqual([undefined, 1])
  expect(read(Uint8Array.of(1, 7), 0)).toEqual([7, 2])
  for (const mark of [2, 255]) {
    expect(read(Uint8Array.of(mark, 7), 0)).toBeUndefined()
    expect(() => new BoundedReader(Uint8Array.of(mark, 7)).optional(() => {})).toThrow(/present by the number/)
  }
})
