// Members that were removed, with modified clients and every ciphertext of the relay: they must read nothing more.
import { rmSync } from 'node:fs'
import { epoch, type GroupSession } from '@postern/mls'
import type { ChatId } from '@postern/protocol'
import { decodeClientFrame } from '@postern/protocol/relay'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { readsOn } from '@postern/testkit/removed-follower'
import { describe, expect } from 'vitest'
import { coreOf, groupOf } from './hostile/modified-client.ts'

const sessionOf = (person: TestPerson, chat: ChatId): Promise<GroupSession> =>
  coreOf(person).groups.run(groupOf(person, chat), async live => live.session)

type Sent = { name: 'commit' | 'appendMarked'; payload: Uint8Array }

const test = base
  /** The messages and commits that these people send from now on, in order, as the relay sees them. */
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('sentBy', ({}) => (...people: TestPerson[]): Sent[] => {
    const sent: Sent[] = []
    for (const { wire } of people)
      wire.outgoing = frame => {
        const asked = decodeClientFrame(frame.slice())
        if (asked.kind === 'call' && (asked.name === 'commit' || asked.name === 'appendMarked'))
          sent.push({ name: asked.name, payload: (asked.request as { payload: Uint8Array }).payload })
        return [frame]
      }
    return sent
  })
  .extend('together', ({ alice }) => async (...others: TestPerson[]): Promise<ChatId> => {
    const chat = await alice.createGroup('team', others)
    await alice.say(chat, 'together')
    for (const other of others) await other.hears('together')
    return chat
  })

const payloads = (sent: readonly Sent[]): Uint8Array[] => sent.map(({ payload }) => payload)

describe('[CORE-2.12] who was removed reads nothing more', () => {
  test('of one who was left alone and adds somebody', async ({ alice, bob, carol, together, sentBy }) => {
    const chat = await together(bob)
    const removed = await sessionOf(bob, chat)
    const sent = sentBy(alice, carol)
    await alice.client.chats.removeMembers(chat, [bob.id], WITHIN)
    await alice.say(chat, 'alone')
    await alice.client.chats.addMembers(chat, [carol.id], WITHIN)
    await alice.say(chat, 'hello carol')
    await carol.hears('hello carol')
    await carol.say(chat, 'hello alice')
    await alice.hears('hello alice')
    expect(sent.filter(({ name }) => name === 'commit').length).toBeGreaterThanOrEqual(2)
    expect(await readsOn(removed, payloads(sent))).toEqual([])
  })

  test('after all others were removed in one step', async ({ world, alice, bob, carol, mallory, together, sentBy }) => {
    const chat = await together(bob, carol, mallory)
    const removed = await Promise.all([bob, carol, mallory].map(person => sessionOf(person, chat)))
    const dave = await world.person('dave')
    const sent = sentBy(alice, dave)
    await alice.client.chats.removeMembers(chat, [bob.id, carol.id, mallory.id], WITHIN)
    await alice.client.chats.addMembers(chat, [dave.id], WITHIN)
    await alice.say(chat, 'hello dave')
    await dave.hears('hello dave')
    for (const session of removed) expect(await readsOn(session, payloads(sent))).toEqual([])
  })

  test('after a restore from a copy of the time alone', async ({ world, alice, bob, carol, together, sentBy }) => {
    const chat = await together(bob)
    const removed = await sessionOf(bob, chat)
    const first = sentBy(alice)
    await alice.client.chats.removeMembers(chat, [bob.id], WITHIN)
    const again = await world.backUp(alice)
    const second = sentBy(again)
    await again.say(chat, 'alone')
    const restored = await world.restore(again)
    const third = sentBy(restored, carol)
    await restored.client.chats.addMembers(chat, [carol.id], WITHIN)
    await restored.say(chat, 'hello carol')
    await carol.hears('hello carol')
    expect(await readsOn(removed, payloads([...first, ...second, ...third]))).toEqual([])
  })

  test('of a private chat that went on under new keys', async ({ world, alice, bob, sentBy }) => {
    await alice.say(bob, 'before')
    await bob.hears('before')
    await bob.say(alice, 'so it is')
    await alice.hears('so it is')
    const stolen = await sessionOf(bob, alice.chatId)
    const restore = bob.client.identity.recovery()
    await world.close(bob)
    rmSync(bob.directory, { recursive: true })
    const again = await world.person('bob', { restore })
    const sent = sentBy(alice, again)
    await again.say(alice, 'on a new device')
    await alice.hears('on a new device')
    await alice.say(again, 'with new keys')
    await again.hears('with new keys')
    expect(await readsOn(stolen, payloads(sent))).toEqual([])
  })
})

/** As a client of 0.2 left it: nobody has added a fresh secret since that client was alone. */
async function leaveGuessable(person: TestPerson, chat: ChatId): Promise<void> {
  await coreOf(person).groups.run(groupOf(person, chat), async live => {
    const { context, state } = live.session
    const at = 2 * state.privatePath.leafIndex
    const own = state.ratchetTree[at]
    if (own?.nodeType !== 'leaf') throw new Error('no leaf')
    const { capabilities } = own.leaf
    const extensions = capabilities.extensions.slice(0, 1)
    const made = { leafNodeSource: 'commit' as const, parentHash: new Uint8Array(), extensions: [] }
    // Changes only the person's own leaf, which the next path replaces: all others see the same tree from then on.
    const leaf = { ...own.leaf, ...made, capabilities: { ...capabilities, extensions } }
    const ratchetTree = state.ratchetTree.with(at, { nodeType: 'leaf', leaf })
    live.session = { context, state: { ...state, ratchetTree } }
  })
}

test('[CORE-2.13] in a group whose keys removed members may know nothing is said before one commit has renewed them', async ({
  alice,
  bob,
  together,
  sentBy,
}) => {
  const chat = await together(bob)
  await leaveGuessable(alice, chat)
  const before = epoch(await sessionOf(alice, chat))
  const sent = sentBy(alice)
  const words = Array.from({ length: 10 }, (_, at) => `word ${at}`)
  await Promise.all(words.map(word => alice.say(chat, word)))
  for (const word of words) await expect.poll(() => bob.texts(chat)).toContain(word)
  expect(sent.map(({ name }) => name)).toEqual(['commit', ...words.map(() => 'appendMarked')])
  expect(epoch(await sessionOf(bob, chat))).toBe(before + 1)
})
