// A relay that shows two sides two histories, or withholds messages: detected and reported at the next contact.
import { messageIdOf } from '@postern/bot-api'
import type { Notice } from '@postern/bot-api/events'
import type { ChatId, GroupId } from '@postern/protocol'
import { decodeClientFrame, type MailboxEntry } from '@postern/protocol/relay'
import { HostileRelay, ManualClock, passTime, passWhenAwaited, type TestPerson, WITHIN } from '@postern/testkit'
import { testInOneWorld as base } from '@postern/testkit/fixtures'
import { describe, expect, vi } from 'vitest'
import { findGroup } from '../../src/groups/group-records.ts'
import type { JournalEvent } from '../../src/journal/journal.ts'
import { coreOf, groupOf } from './modified-client.ts'

let casts = 0

/** A greeting that is still pending would be the first message across, in place of the one that a test has chosen. */
async function expectGreeted(person: TestPerson, group: GroupId): Promise<void> {
  await expect.poll(() => findGroup(coreOf(person).store, group)?.needs_hello).toBe(0)
}

/** From here on bob's commits are valid for him alone, and those of the others for them. */
function fork(relay: HostileRelay, { bob, group }: { bob: TestPerson; group: GroupId }): void {
  const isForked = (entry: MailboxEntry) => entry.group === group && entry.kind === 'commit' && entry.sender !== bob.id
  relay.changeEntries(entries => entries.filter(entry => !isForked(entry)))
  relay.answerInstead('commit', ({ payload }) => {
    const message = messageIdOf('a'.repeat(32))
    const entry = { kind: 'commit' as const, group, sender: bob.id, payload, added: [], removed: [], seq: 50 }
    relay.say({ kind: 'deliver', entries: [{ ...entry, cursor: relay.shown + 1, ts: Date.now() }] })
    return { accepted: { message, seq: 50, ts: Date.now(), duplicate: false }, epoch: 2 }
  })
}

/** The chores wait for the relay to accept a profile: nothing else is done before `goOn`. */
async function holdChores(person: TestPerson): Promise<() => void> {
  const { wire } = person
  const held: Uint8Array[] = []
  wire.outgoing = bytes => {
    const frame = decodeClientFrame(bytes.slice())
    if (frame.kind !== 'call' || frame.name !== 'putProfile') return [bytes]
    held.push(bytes.slice())
    return []
  }
  await person.client.identity.setProfile({ about: 'busy' })
  await expect.poll(() => held.length).toBe(1)
  return () => {
    wire.outgoing = frame => [frame]
    for (const frame of held) wire.say(frame)
  }
}

const noticesOf = (person: TestPerson, chat: ChatId): Notice[] =>
  person.client.journal
    .read(0, 1000)
    .map(({ json }) => JSON.parse(json) as JournalEvent)
    .flatMap(event => (event.type === 'notice' && event.chat_id === chat ? [event.notice] : []))
const codesOf = (person: TestPerson, chat: ChatId): string[] => noticesOf(person, chat).map(({ code }) => code)

/** A member that is still being healed misses messages; after that all receive everything. */
async function expectAllHear(
  chat: ChatId,
  [speaker, ...others]: [TestPerson, ...TestPerson[]],
  word: string,
): Promise<void> {
  let round = 0
  const isHeardByAll = async () => {
    const text = `${word} ${++round}`
    await speaker.say(chat, text)
    for (const other of others) await expect.poll(() => other.texts(chat), { timeout: 1000 }).toContain(text)
  }
  await vi.waitFor(isHeardByAll, { timeout: WITHIN.timeoutMs, interval: 100 })
}

const test = base
  .extend('worldOptions', { scope: 'file' }, () => ({ relayLimits: { newPeoplePerDay: 1000 } }))
  .extend(
    'cast',
    ({ world }) =>
      async (): Promise<{
        alice: TestPerson
        bob: TestPerson
        carol: TestPerson
        relay: HostileRelay
        chat: ChatId
      }> => {
        const number = ++casts
        const alice = await world.person(`alice ${number}`)
        const bob = await world.person(`bob ${number}`)
        const carol = await world.person(`carol ${number}`)
        const id = await alice.createGroup('team', [bob, carol])
        await bob.say(id, 'before')
        for (const person of [alice, carol]) await person.hears('before')
        const relay = new HostileRelay(bob.wire)
        await alice.say(id, 'seen')
        await bob.hears('seen')
        // Cursors that no entry of bob's has.
        for (const text of ['one', 'two', 'three']) await alice.say(carol, text)
        return { alice, bob, carol, relay, chat: id }
      },
  )
  .extend('castOfTwo', ({ cast }) => async (): Promise<{ alice: TestPerson; bob: TestPerson }> => {
    const { alice, bob, relay } = await cast()
    await alice.say(bob, 'hello bob')
    await bob.hears('hello bob')
    const group = groupOf(bob, alice.chatId)
    await expectGreeted(bob, group)
    fork(relay, { bob, group })
    await bob.client.chats.setTimer(alice.chatId, 60_000, WITHIN)
    await alice.client.chats.setTimer(bob.chatId, 120_000, WITHIN)
    relay.repent()
    return { alice, bob }
  })

describe('[CORE-14.12] two histories', () => {
  test('of a group are found out at the next word, told on both sides, and become one again', async ({ cast }) => {
    const { alice, bob, carol, relay, chat } = await cast()
    fork(relay, { bob, group: groupOf(bob, chat) })
    await bob.client.chats.renameGroup(chat, 'for bob', WITHIN)
    await alice.client.chats.renameGroup(chat, 'for the others', WITHIN)
    relay.repent()
    await alice.say(chat, 'bob cannot read this')
    for (const person of [alice, bob]) await expect.poll(() => codesOf(person, chat)).toContain('forked')
    await expectAllHear(chat, [alice, bob, carol], 'one again')
    await expectAllHear(chat, [bob, alice, carol], 'for all of us')
    expect(bob.client.chats.get(chat).name).toBe(alice.client.chats.get(chat).name)
  })

  test('of a group in which nobody is heard across are found out by a word in private', async ({ cast }) => {
    const { alice, bob, relay, chat } = await cast()
    const group = groupOf(bob, chat)
    await alice.say(bob, 'hello bob')
    await bob.hears('hello bob')
    await bob.say(alice, 'hello alice')
    await alice.hears('hello alice')
    fork(relay, { bob, group })
    await bob.client.chats.renameGroup(chat, 'for bob', WITHIN)
    await alice.client.chats.renameGroup(chat, 'for the others', WITHIN)
    // Messages in the group pass in neither direction; all others do.
    relay.changeEntries(entries => entries.filter(entry => entry.group !== group))
    await alice.say(bob, 'how are you?')
    await bob.hears('how are you?')
    await bob.say(alice, 'well')
    for (const person of [alice, bob]) await expect.poll(() => codesOf(person, chat)).toContain('forked')
  })

  test('of a private chat are, too', async ({ castOfTwo }) => {
    const { alice, bob } = await castOfTwo()
    await alice.say(bob, 'bob cannot read this')
    await expect.poll(() => codesOf(alice, bob.chatId)).toContain('forked')
    await expect.poll(() => codesOf(bob, alice.chatId)).toContain('forked')
    await vi.waitFor(() => bob.say(alice, 'from bob'), { timeout: WITHIN.timeoutMs })
    await alice.hears('from bob')
    await alice.say(bob, 'from alice')
    await bob.hears('from alice')
  })

  test('of a private chat are, also where the next word comes before the chores', async ({ castOfTwo }) => {
    const { alice, bob } = await castOfTwo()
    const goOn = await holdChores(alice)
    await bob.say(alice, 'alice cannot read this')
    await expect.poll(() => codesOf(alice, bob.chatId)).toContain('undecryptable')
    await alice.say(bob, 'in new keys')
    await bob.hears('in new keys')
    goOn()
    await expect.poll(() => codesOf(alice, bob.chatId)).toContain('forked')
    await expect.poll(() => codesOf(bob, alice.chatId)).toContain('forked')
    await bob.say(alice, 'from bob')
    await alice.hears('from bob')
  })

  test('of a private chat are, also after a restart between the new keys and the question', async ({
    world,
    castOfTwo,
  }) => {
    const { alice, bob } = await castOfTwo()
    const before = groupOf(alice, bob.chatId)
    let heldBack = 0
    alice.wire.outgoing = bytes => {
      const frame = decodeClientFrame(bytes.slice())
      const isWord = frame.kind === 'call' && frame.name === 'appendMarked'
      if (!isWord || groupOf(alice, bob.chatId) === before) return [bytes]
      heldBack++
      return []
    }
    await bob.say(alice, 'alice cannot read this')
    await expect.poll(() => heldBack).toBeGreaterThan(0)
    await world.close(alice)
    const again = await world.person(alice.name, { directory: alice.directory })
    await expect.poll(() => codesOf(again, bob.chatId)).toContain('forked')
    await expect.poll(() => codesOf(bob, alice.chatId)).toContain('forked')
  })
})

describe('[CORE-14.13] messages that are held back', () => {
  test('are told with the next one of their sender, and how many', async ({ cast }) => {
    const { alice, bob, relay, chat } = await cast()
    relay.changeEntries(entries => entries.filter(entry => entry.kind !== 'message'))
    await alice.say(chat, 'held back')
    await alice.say(chat, 'held back, too')
    relay.repent()
    await alice.say(chat, 'and on')
    await bob.hears('and on')
    expect(noticesOf(bob, chat)).toContainEqual({
      code: 'missing',
      from: { id: alice.id, name: alice.name },
      count: 2,
    })
  })

  test('are not confused with those that their sender has given up', async ({ world }) => {
    const clock = new ManualClock(Date.now())
    const alice = await world.person(`alice ${++casts}`, { clock })
    const bob = await world.person(`bob ${casts}`)
    await alice.say(bob, 'before')
    await bob.hears('before')
    alice.wire.outgoing = bytes => {
      const frame = decodeClientFrame(bytes.slice())
      return frame.kind === 'call' && frame.name === 'appendMarked' ? [] : [bytes]
    }
    const given = alice.client.messages.sendText(bob.chatId, { text: 'given up' }, { timeoutMs: 300 })
    await expect(passWhenAwaited(clock, 300, given)).rejects.toMatchObject({ code: 'send-in-doubt' })
    alice.wire.outgoing = frame => [frame]
    alice.wire.drop()
    await passTime(clock, alice.online())
    await alice.say(bob, 'and on')
    await bob.hears('and on')
    expect(codesOf(bob, alice.chatId)).not.toContain('missing')
    expect(bob.texts(alice)).toEqual(['before', 'and on'])
  })
})
