// Farewells of a member that stays: nobody who has keys of a group is hidden from the other members.
import { type ChatId, clientLimits } from '@postern/protocol'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { expect } from 'vitest'
import { test as base } from './carrying-on.ts'
import { commitAs, coreOf, farewellProof, groupOf, keyHolders } from './modified-client.ts'
import { adminsFor, codesOf, expectAllHear, ids, membersFor, speakIn } from './team.ts'

/** Alice, the admin, reads nothing until she is let: bob and carol judge alone. */
const test = base
  .extend('withoutAdmin', ({ alice }) => {
    alice.wire.hold()
    return { end: () => alice.wire.release() }
  })
  /** All members see exactly these people, and nobody else has keys. */
  .extend('expectOnly', ({ chat }) => async (people: TestPerson[]): Promise<void> => {
    for (const person of people) {
      await expect.poll(() => keyHolders(person, chat)).toEqual(ids(people))
      await expect.poll(() => membersFor(person, chat)).toEqual(ids(people))
    }
    await expectAllHear(chat, people)
  })

const farewellsRead = (person: TestPerson): number => coreOf(person).store.all('SELECT 1 FROM removal').length

/** The relay does not know of it, and continues to deliver. */
async function sayFarewell(person: TestPerson, chat: ChatId, proof: string | undefined): Promise<void> {
  await speakIn(person, groupOf(person, chat), { body: { kind: 'leave', ...(proof !== undefined && { proof }) } })
  await speakIn(person, groupOf(person, chat), { body: { kind: 'text', text: 'still here' } })
}

for (const [what, forge] of [
  ['without a proof', () => undefined],
  ['with the proof of another leaf', (bob: TestPerson, chat: ChatId) => farewellProof(bob, chat)],
  ['with a proof that is none', () => 'A'.repeat(86)],
] as const)
  test(`[CORE-14.58] a farewell ${what} hides nobody, and an admin removes the member`, async ({
    alice,
    bob,
    carol,
    mallory,
    chat,
    withoutAdmin,
    expectOnly,
  }) => {
    await sayFarewell(mallory, chat, await forge(bob, chat))
    for (const person of [bob, carol]) {
      await person.hears('still here')
      expect(membersFor(person, chat)).toContain(mallory.id)
      expect(codesOf(person, chat)).not.toContain('left')
    }
    withoutAdmin.end()
    await expectOnly([alice, bob, carol])
  })

test('[CORE-14.58] a member that has said farewell and commits is shown again, and an admin removes it', async ({
  alice,
  bob,
  carol,
  mallory,
  chat,
  withoutAdmin,
  expectOnly,
}) => {
  await sayFarewell(mallory, chat, await farewellProof(mallory, chat))
  for (const person of [bob, carol]) await expect.poll(() => membersFor(person, chat)).not.toContain(mallory.id)
  await commitAs(mallory, chat, () => ({}))
  for (const person of [bob, carol]) await expect.poll(() => membersFor(person, chat)).toContain(mallory.id)
  withoutAdmin.end()
  await expectOnly([alice, bob, carol])
})

test('[CORE-14.58] a member that has said farewell and is taken into the next group is shown there', async ({
  alice,
  bob,
  carol,
  mallory,
  chat,
  withoutAdmin,
  carryOnWith,
  readNothing,
  expectOnly,
}) => {
  const before = groupOf(bob, chat)
  const read = readNothing(carol)
  await mallory.client.chats.leaveGroup(chat, WITHIN)
  await expect.poll(() => membersFor(bob, chat)).not.toContain(mallory.id)
  const carrying = carryOnWith(carol, [alice, bob, carol, mallory])
  await expect.poll(() => groupOf(bob, chat)).not.toBe(before)
  expect(membersFor(bob, chat)).toContain(mallory.id)
  read()
  await carrying
  await expect.poll(() => farewellsRead(carol)).toBe(1)
  expect(membersFor(carol, chat)).toContain(mallory.id)
  withoutAdmin.end()
  await expectOnly([alice, bob, carol])
  expect(adminsFor(bob, chat)).toEqual([alice.id])
})

test('[CORE-14.59] no draft reaches a member that has said farewell and stays', async ({
  clock,
  alice,
  bob,
  carol,
  mallory,
  chat,
  expectOnly,
}) => {
  const [seenByBob, seenByMallory] = [draftsSeen(bob), draftsSeen(mallory)]
  const draft = async (text: string) => {
    await alice.client.typing.sendDraft(chat, { text }, WITHIN)
    clock.advance(clientLimits.draftSentEveryMs)
  }
  await draft('to all')
  for (const seen of [seenByBob, seenByMallory]) await expect.poll(() => seen).toEqual(['to all'])
  await sayFarewell(mallory, chat, await farewellProof(mallory, chat))
  await alice.hears('still here')
  await draft('not yet')
  // Before the message, alice removes her.
  await alice.say(chat, 'three of us')
  await expectOnly([alice, bob, carol])
  await draft('among us')
  await expect.poll(() => seenByBob).toEqual(['to all', 'among us'])
  expect(seenByMallory).toEqual(['to all'])
})

function draftsSeen(person: TestPerson): string[] {
  const seen: string[] = []
  person.client.typing.onChange(change => void (change.state === 'drafting' && seen.push(change.draft.text)))
  return seen
}
