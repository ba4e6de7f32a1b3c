// Both sides of a private chat open its next group, and one of them cannot read the other's: they continue in one group.
import { type AccountId, clientLimits, GROUP_ID_BYTES } from '@postern/protocol'
import { decodeClientFrame, encodeClientFrame } from '@postern/protocol/relay'
import { type Pass, type TestPerson, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { beyondAll, openPrivateChat } from '../src/chats/opening/open-chat.ts'
import { coreOf, deadlineOf, groupOf } from './hostile/modified-client.ts'
import { epochOf, sayBody } from './hostile/team.ts'

const MINUTE_S = 60
const MINUTE_MS = MINUTE_S * 1000
// Ids are compared as base32 text, in which 7 comes before a.
const LOWEST = 255
const HIGHEST = 0

/** As if the relay had given out a key package whose keys are gone: nobody can read the welcomes that go out. */
const spoilWelcomes: Pass = bytes => {
  const frame = decodeClientFrame(bytes.slice())
  if (frame.kind !== 'call' || frame.name !== 'commit' || !frame.request.welcome) return [bytes]
  return [encodeClientFrame({ ...frame, request: { ...frame.request, welcome: new Uint8Array(300).fill(7) } })]
}

type Opening = { with: TestPerson; generation: number; idByte: number; isSpoilt?: true }

/** Opens a group with an id of that byte: the lower id is in force for a side that can read both. */
async function open(opener: TestPerson, { with: other, generation, idByte, isSpoilt }: Opening): Promise<void> {
  const core = coreOf(opener)
  const { randomBytes } = core.provider
  const id = new Uint8Array(GROUP_ID_BYTES).fill(idByte)
  core.provider.randomBytes = count => (count === GROUP_ID_BYTES ? id : randomBytes(count))
  if (isSpoilt) opener.wire.outgoing = spoilWelcomes
  await openPrivateChat(core, { account: other.id }, { deadline: deadlineOf(opener), atLeast: generation })
  core.provider.randomBytes = randomBytes
  opener.wire.outgoing = frame => [frame]
}

const generationOf = (person: TestPerson, other: TestPerson): number =>
  coreOf(person).store.get<{ generation: number }>(
    'SELECT generation FROM mls_group WHERE id = ?',
    groupOf(person, other.chatId),
  )?.generation ?? 0

const groupsOpenedBy = (person: TestPerson, account: AccountId): number =>
  coreOf(person).store.all('SELECT 1 FROM mls_group WHERE inviter = ?', account).length

async function expectOneChat(alice: TestPerson, bob: TestPerson): Promise<void> {
  const inOne = () => groupOf(alice, bob.chatId) === groupOf(bob, alice.chatId)
  await expect.poll(inOne, WITHIN_POLL).toBe(true)
  await alice.say(bob, 'alice in one chat')
  await bob.hears('alice in one chat')
  await bob.say(alice, 'bob in one chat')
  await alice.hears('bob in one chat')
}

const WITHIN_POLL = { timeout: WITHIN.timeoutMs }

const test = base.extend('talked', async ({ alice, bob }) => {
  await alice.say(bob, 'first')
  await bob.hears('first')
  return beyondAll(Date.now())
})

test('[CORE-12.26] the side that cannot read the group in force opens a higher one', async ({ alice, bob, talked }) => {
  await open(alice, { with: bob, generation: talked, idByte: LOWEST, isSpoilt: true })
  await open(bob, { with: alice, generation: talked, idByte: HIGHEST })
  await alice.say(bob, 'bob cannot read this')
  await expectOneChat(alice, bob)
})

test('[CORE-12.26] neither side can read the group of the other', async ({ alice, bob, talked }) => {
  await open(alice, { with: bob, generation: talked, idByte: LOWEST, isSpoilt: true })
  await open(bob, { with: alice, generation: talked, idByte: HIGHEST, isSpoilt: true })
  await alice.say(bob, 'bob cannot read this')
  await expectOneChat(alice, bob)
})

test('[CORE-12.27] the side that has just opened one is added to the group in force, and opens none', async ({
  alice,
  bob,
  talked,
}) => {
  await open(alice, { with: bob, generation: talked - MINUTE_S, idByte: LOWEST, isSpoilt: true })
  await alice.say(bob, 'bob opens a group')
  await expectOneChat(alice, bob)
  const opened = groupsOpenedBy(bob, bob.id)
  expect(opened).toBe(1)
  const next = generationOf(bob, alice) + 1
  await open(alice, { with: bob, generation: next, idByte: LOWEST - 1, isSpoilt: true })
  await open(bob, { with: alice, generation: next, idByte: HIGHEST + 1 })
  await alice.say(bob, 'bob cannot read this')
  await expectOneChat(alice, bob)
  expect(generationOf(bob, alice)).toBe(next)
  expect(groupsOpenedBy(bob, bob.id)).toBe(opened + 1)
})

const inMinutes = base.extend('worldOptions', ({ relayClock }) => ({ relayClock }))

inMinutes(
  '[CORE-12.27] a group that is in vain is not the end: the speaker who is still heard is asked',
  async ({ alice, bob, relayClock }) => {
    await alice.say(bob, 'first')
    await bob.hears('first')
    // By the clock of alice, which is a day ahead.
    const ahead = beyondAll(Date.now() + 24 * 60 * MINUTE_MS)
    await open(alice, { with: bob, generation: ahead, idByte: LOWEST, isSpoilt: true })
    await alice.say(bob, 'bob opens a group')
    await expect.poll(() => groupsOpenedBy(alice, bob.id), WITHIN_POLL).toBe(1)
    await expect
      .poll(() => coreOf(bob).store.all('SELECT 1 FROM lost_group WHERE healed = 1'), WITHIN_POLL)
      .toHaveLength(1)
    expect(groupOf(alice, bob.chatId)).not.toBe(groupOf(bob, alice.chatId))
    relayClock.advance(clientLimits.lostGroupRetryMs + MINUTE_MS)
    await alice.say(bob, 'bob asks alice')
    await expectOneChat(alice, bob)
    expect(generationOf(bob, alice)).toBe(ahead)
  },
)

const wishes = (person: TestPerson): number => coreOf(person).store.all('SELECT 1 FROM rejoin').length

base('[CORE-12.28] a person whose chat waits as a request is not added to it again', async ({ world, mallory }) => {
  const bob = await world.person('careful bob', { acceptRequests: 'ask' })
  await mallory.say(bob, 'let me in')
  await bob.next('chat', ({ chat_id }) => chat_id === mallory.chatId)
  const epoch = await epochOf(bob, mallory.chatId)
  await sayBody(mallory, bob.chatId, { kind: 'rejoin', group: groupOf(mallory, bob.chatId) })
  await mallory.say(bob, 'after it')
  await expect.poll(() => bob.texts(mallory), WITHIN_POLL).toContain('after it')
  expect([wishes(bob), await epochOf(bob, mallory.chatId)]).toEqual([0, epoch])
})

test('[CORE-12.28] neither is a blocked person, nor one that names a group from before', async ({
  alice,
  bob,
  carol,
  talked,
}) => {
  const before = groupOf(alice, bob.chatId)
  await open(bob, { with: alice, generation: talked, idByte: LOWEST })
  await expect.poll(() => groupOf(alice, bob.chatId), WITHIN_POLL).not.toBe(before)
  const current = groupOf(alice, bob.chatId)
  await sayBody(bob, alice.chatId, { kind: 'rejoin', group: before })
  await bob.say(alice, 'a group from before')
  await alice.hears('a group from before')
  const epoch = await epochOf(alice, bob.chatId)
  expect([wishes(alice), epoch]).toEqual([0, 1])
  await alice.client.chats.block(bob.id)
  await sayBody(bob, alice.chatId, { kind: 'rejoin', group: current })
  await carol.say(alice, 'alice has read that')
  await alice.hears('alice has read that')
  await alice.client.chats.unblock(bob.id)
  await bob.say(alice, 'no longer blocked')
  await alice.hears('no longer blocked')
  expect([wishes(alice), await epochOf(alice, bob.chatId)]).toEqual([0, epoch])
})
