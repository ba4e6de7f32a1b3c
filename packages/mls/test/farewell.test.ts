// A farewell is a proof: for this leaf in this group, by its own key, and invalid for a member that joins again.
import { expect, test } from 'vitest'
import { commitIntent } from '../src/group/commit-intent.ts'
import { decodeFarewells, encodeFarewells, isFarewell, signFarewell } from '../src/group/farewell.ts'
import { type GroupSession, ownLeaf } from '../src/group/group-session.ts'
import { add, groupOf, person, readCommit, trio } from './people.ts'

const saidBy = ({ context, state }: GroupSession) => signFarewell(context, state)
const holds = (judge: GroupSession, leaf: number, proof: Uint8Array) =>
  isFarewell(judge.context, judge.state, { leaf, proof })

test('[CORE-14.5] everybody can judge it, and nobody but its maker can make it', async () => {
  const { alice, bob, carol } = await trio()
  const proof = await saidBy(carol)
  for (const judge of [alice, bob]) expect(await holds(judge, ownLeaf(carol), proof)).toBe(true)
  expect(await holds(alice, ownLeaf(carol), await saidBy(bob))).toBe(false)
  expect(await holds(alice, ownLeaf(bob), proof)).toBe(false)
  expect(await holds(alice, 7, proof)).toBe(false)
  expect(await holds(alice, ownLeaf(carol), proof.slice(1))).toBe(false)
})

test('[CORE-14.5] it goes with the commit that acts on it, to those who never heard it, too', async () => {
  const { alice, bob, carol } = await trio()
  const proof = await saidBy(carol)
  const dave = await add(alice, await person('dave'))
  const later = (await readCommit(bob, dave.made.wire)).session
  const leaf = ownLeaf(carol)
  const { wire } = await commitIntent(later, { removeLeaves: [leaf], farewells: [{ leaf, proof }] })
  const [carolsAccount] = (await readCommit(dave.joined, wire)).removed
  expect((await readCommit(dave.joined, wire)).farewells).toEqual([carolsAccount?.accountId])
  const forged = await commitIntent(later, { removeLeaves: [leaf], farewells: [{ leaf, proof: new Uint8Array(64) }] })
  expect((await readCommit(dave.joined, forged.wire)).farewells).toEqual([])
})

test('[CORE-14.5] who comes again is not put out by what it said before', async () => {
  const people = [await person('alice'), await person('bob')]
  const [alice, bob] = (await groupOf(...people)) as [GroupSession, GroupSession]
  const proof = await saidBy(bob)
  const removed = await commitIntent(alice, { removeLeaves: [ownLeaf(bob)] })
  const again = await add(removed.session, people[1] as (typeof people)[number])
  expect(await holds(again.committer, ownLeaf(again.joined), proof)).toBe(false)
})

test('[CORE-14.5] what is not written as it should be is none', () => {
  const one = { leaf: 3, proof: new Uint8Array(64).fill(1) }
  expect(decodeFarewells(encodeFarewells([one]))).toEqual([one])
  expect(decodeFarewells(encodeFarewells([one]).slice(1))).toEqual([])
  expect(decodeFarewells(new Uint8Array(68 * 1001))).toEqual([])
})
