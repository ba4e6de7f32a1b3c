// Copies of one session, as two restores of one backup are: they pass over handshake keys, so that each commits with its own.
import { mlsLimits } from '@postern/protocol'
import { expect, it } from 'vitest'
import { burnHandshakeGeneration, commitIntent, skipHandshakeGenerations } from '../src/group/commit-intent.ts'
import { decryptMessage, epochAuthenticator, type GroupSession, openWholeSession } from '../src/group/group-session.ts'
import { ratchetsOf } from '../src/group/secret-rows.ts'
import { fromBase64, hex } from './bytes.ts'
import { context, pair, readCommit } from './people.ts'
import { halfEmpty } from './vectors/before-fresh-secrets.ts'

const FARTHEST = [0xff, 0xff]

const drawing = (session: GroupSession, bytes: number[]): GroupSession => {
  const provider = { ...session.context.provider, randomBytes: () => Uint8Array.from(bytes) }
  return { ...session, context: { ...session.context, provider } }
}

const used = ({ state }: GroupSession): number | undefined =>
  ratchetsOf(state.secretTree[2 * state.privatePath.leafIndex])?.handshake.generation

it('[MLS-2.12] copies that draw other numbers pass over other keys, at most twice in an epoch', async () => {
  const { alice } = await pair()
  const near = await skipHandshakeGenerations(drawing(alice, [0, 0]))
  const next = await skipHandshakeGenerations(drawing(alice, [32, 0]))
  expect([near, next].map(used)).toEqual([1, 33])
  const far = await skipHandshakeGenerations(drawing(alice, [0xfe, 0xff]))
  const twice = await skipHandshakeGenerations(drawing(far, FARTHEST))
  const again = await skipHandshakeGenerations(drawing(twice, FARTHEST))
  const { skippedKeysMax: max } = mlsLimits
  expect([far, twice, again].map(used)).toEqual([max - 1, 2 * max - 1, 2 * max - 1])
})

it('[MLS-2.12] the keys that are passed over are those of single steps', async () => {
  const { alice } = await pair()
  const skipped = await skipHandshakeGenerations(drawing(alice, [2, 0]))
  let burnt = alice
  for (let at = 0; at < 3; at++) burnt = await burnHandshakeGeneration(burnt)
  expect(skipped.state.secretTree).toEqual(burnt.state.secretTree)
})

it('[MLS-2.12] others follow a commit over all that may be skipped and withdrawn, and no further', async () => {
  const { alice, bob } = await pair()
  let sender = await skipHandshakeGenerations(drawing(alice, [0xfe, 0xff]))
  sender = await skipHandshakeGenerations(drawing(sender, FARTHEST))
  while ((used(sender) ?? 0) < mlsLimits.handshakeStepsMax) sender = await burnHandshakeGeneration(sender)
  const last = await commitIntent(sender, {})
  const { session } = await readCommit(bob, last.wire)
  expect(hex(epochAuthenticator(session))).toBe(hex(epochAuthenticator(last.session)))
  // Messages reach no further than before.
  expect(session.state.clientConfig).toBe(bob.state.clientConfig)
  const beyond = await commitIntent(await burnHandshakeGeneration(sender), {})
  await expect(decryptMessage(bob, beyond.wire)).rejects.toMatchObject({ code: 'mls-undecryptable' })
})

it('[MLS-2.12] where a client up to 0.2 is a member, only as many are passed over as it can follow', async () => {
  const dave = openWholeSession(context, fromBase64(halfEmpty.dave))
  const before = used(dave) ?? 0
  const skipped = await skipHandshakeGenerations(drawing(dave, FARTHEST))
  expect(used(skipped)).toBe(before + mlsLimits.formerSkippedKeysMax)
  expect(used(await skipHandshakeGenerations(drawing(skipped, FARTHEST)))).toBe(used(skipped))
})
