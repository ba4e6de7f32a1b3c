// Words of messages in notifications: only while somebody wants them, and under keys that go with their epoch.
import { randomBytes } from 'node:crypto'
import { type ChatId, clientLimits, isCoded } from '@postern/protocol'
import { decodeClientFrame, decodeRelayFrame } from '@postern/protocol/relay'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { greetingTo } from '../src/groups/greetings.ts'
import { endGroup } from '../src/groups/group-records.ts'
import { piecesOf, randomFile } from './files-world.ts'
import { coreOf, groupOf } from './hostile/modified-client.ts'
import { entriesOn, hasGreeted, type SentEntry } from './marked-entries.ts'
import { epochsOf, openedBy, wishesOf } from './opened-previews.ts'

const test = base
  .extend('talk', async ({ alice, bob }) => {
    await alice.say(bob, 'first')
    await bob.hears('first')
    return bob.chatId
  })
  .extend('team', async ({ alice, bob, carol }) => {
    const chat = await alice.createGroup('team', [bob, carol])
    await alice.say(chat, 'first')
    for (const person of [bob, carol]) await person.hears('first')
    return chat
  })

/** The reader has the keys of its chats, and these people know that it wants previews. */
async function want(reader: TestPerson, writers: TestPerson[] = [], chats = 1): Promise<void> {
  await reader.client.pushes.setPreviewsWanted(true)
  for (const writer of writers) await expect.poll(() => wishesOf(writer)).toBe(chats)
  await expect.poll(() => dueKeys(reader)).toBe(0)
}

const dueKeys = (person: TestPerson): number =>
  coreOf(person).store.all('SELECT 1 FROM preview_key WHERE key IS NULL').length
const storedKeys = (person: TestPerson): number => coreOf(person).store.all('SELECT 1 FROM preview_key').length

const messagesIn = (sent: SentEntry[]): SentEntry[] => sent.filter(({ attention }) => attention !== 'none')

/** The only message that the work sends. */
async function entryOf(person: TestPerson, work: () => Promise<unknown>): Promise<SentEntry> {
  const sent = entriesOn(person.wire)
  await work()
  const [entry, ...others] = messagesIn(sent)
  if (!entry || others.length > 0) throw new Error(`${sent.length} entries were sent, not one message`)
  return entry
}

const sayIn = (person: TestPerson, chat: ChatId, text: string) => entryOf(person, () => person.say(chat, text))

/** The relay accepts what the person sends to everybody in a chat, and its answers wait for the returned function. */
function holdGreetings({ wire }: TestPerson): () => void {
  const greetings = new Set<number>()
  const held: Uint8Array[] = []
  wire.outgoing = frame => {
    const decoded = decodeClientFrame(frame.slice())
    if (decoded.kind === 'call' && decoded.name === 'appendMarked' && !decoded.request.to) greetings.add(decoded.id)
    return [frame]
  }
  wire.incoming = frame => {
    const decoded = decodeRelayFrame(frame.slice())
    if (decoded.kind !== 'answer' || !greetings.has(decoded.id)) return [frame]
    held.push(frame.slice())
    return []
  }
  return () => {
    wire.incoming = frame => [frame]
    for (const frame of held.splice(0)) wire.inject(frame)
  }
}

/** Entries that the person sends from now on do not reach the relay. */
function loseEntries({ wire }: TestPerson): SentEntry[] {
  const lost: SentEntry[] = []
  wire.outgoing = frame => {
    const decoded = decodeClientFrame(frame.slice())
    if (decoded.kind !== 'call' || decoded.name !== 'appendMarked') return [frame]
    lost.push(decoded.request)
    return []
  }
  return lost
}

test('[CORE-26.5] until the owner wants previews, and from then on that it does not, nothing is sent and no key is kept', async ({
  alice,
  bob,
  talk,
}) => {
  expect(bob.client.pushes.arePreviewsWanted).toBe(false)
  expect((await sayIn(alice, talk, 'before')).preview).toBeUndefined()
  expect(storedKeys(bob)).toBe(0)
  await want(bob, [alice])
  const entry = await sayIn(alice, talk, 'disk full')
  expect(await openedBy(bob, { sender: alice, entry })).toEqual({ text: 'disk full' })
  expect(storedKeys(alice)).toBe(0)
  await bob.client.pushes.setPreviewsWanted(false)
  expect([bob.client.pushes.previewKeys(), storedKeys(bob)]).toEqual([[], 0])
  await expect.poll(() => wishesOf(alice)).toBe(0)
  expect((await sayIn(alice, talk, 'afterwards')).preview).toBeUndefined()
})

test('[CORE-26.5] a wish and what others know of it survive restarts', async ({ world, alice, bob, talk }) => {
  await want(bob, [alice])
  const keys = bob.client.pushes.previewKeys()
  await world.close(alice)
  await world.close(bob)
  const [reader, writer] = [await world.person('bob'), await world.person('alice')]
  expect(reader.client.pushes.arePreviewsWanted).toBe(true)
  expect(reader.client.pushes.previewKeys()).toEqual(keys)
  const entry = await sayIn(writer, talk, 'after a restart')
  expect(await openedBy(reader, { sender: writer, entry })).toEqual({ text: 'after a restart' })
})

test('[CORE-26.5] a wish that changes while it is announced is announced again', async ({ alice, bob, talk }) => {
  await expect.poll(() => hasGreeted(bob)).toBe(true)
  const release = holdGreetings(bob)
  await bob.client.pushes.setPreviewsWanted(true)
  await expect.poll(() => wishesOf(alice)).toBe(1)
  await bob.client.pushes.setPreviewsWanted(false)
  release()
  await expect.poll(() => wishesOf(alice)).toBe(0)
  expect((await sayIn(alice, talk, 'nothing')).preview).toBeUndefined()
})

test('[CORE-26.6] the wish of others counts, and only while they are in the chat', async ({
  alice,
  bob,
  carol,
  team,
}) => {
  await want(alice, [bob, carol])
  expect((await sayIn(alice, team, 'mine')).preview).toBeUndefined()
  await want(bob, [carol], 2)
  await expect.poll(() => wishesOf(alice)).toBe(1)
  expect((await sayIn(alice, team, 'for bob')).preview).toBeDefined()
  await alice.client.chats.removeMembers(team, [bob.id], WITHIN)
  expect((await sayIn(alice, team, 'without bob')).preview).toBeUndefined()
  await expect.poll(() => epochsOf(bob, team)).toEqual([])
  await expect.poll(() => storedKeys(bob)).toBe(0)
  // She has left, though her leaf is there until the next commit.
  await alice.client.chats.leaveGroup(team, WITHIN)
  expect([epochsOf(alice, team), storedKeys(alice)]).toEqual([[], 0])
  await carol.next('notice', ({ notice }) => notice.code === 'left')
  expect((await sayIn(carol, team, 'alone')).preview).toBeUndefined()
})

test('[CORE-26.6] new members, and those who were added again, learn it and say it', async ({
  world,
  alice,
  bob,
  carol,
  team,
}) => {
  await want(bob, [alice, carol])
  const dave = await world.person('dave')
  await alice.client.chats.addMembers(team, [dave.id], WITHIN)
  await dave.next('chat')
  await expect.poll(() => wishesOf(dave)).toBe(1)
  await alice.client.chats.removeMembers(team, [bob.id], WITHIN)
  await dave.next('notice', ({ notice }) => notice.code === 'removed')
  expect([wishesOf(alice), wishesOf(dave)]).toEqual([0, 0])
  await alice.client.chats.addMembers(team, [bob.id], WITHIN)
  for (const person of [alice, carol, dave]) await expect.poll(() => wishesOf(person)).toBe(1)
  await expect.poll(() => dueKeys(bob)).toBe(0)
  const entry = await sayIn(dave, team, 'welcome back')
  expect(await openedBy(bob, { sender: dave, entry })).toEqual({ text: 'welcome back', from: 'dave' })
})

test('[CORE-26.6] in a large group new members learn it with the next message', async ({ alice, bob }) => {
  await alice.say(bob, 'first')
  await bob.hears('first')
  const { store } = coreOf(bob)
  const { greetedAtOnceMembersMax: small } = clientLimits
  expect(greetingTo(store, small)).toBe(1)
  await want(bob)
  expect([greetingTo(store, small), greetingTo(store, small + 1)]).toEqual([2, 1])
})

test('[CORE-26.6] a chat that heals goes on with previews, under the keys of its new group', async ({
  alice,
  bob,
  talk,
}) => {
  await want(bob, [alice])
  const before = groupOf(alice, talk)
  const core = coreOf(alice)
  await core.store.write(database => endGroup(database, before, { nowMs: core.elapsed.nowMs() }))
  core.groups.forget(before)
  await alice.say(talk, 'healed')
  await bob.hears('healed')
  expect(groupOf(alice, talk)).not.toBe(before)
  await expect.poll(() => dueKeys(bob)).toBe(0)
  const entry = await sayIn(alice, talk, 'disk full')
  expect(await openedBy(bob, { sender: alice, entry })).toEqual({ text: 'disk full' })
})

test('[CORE-26.7] a preview has the words of the notification, and the sender’s name in a group', async ({
  alice,
  bob,
  carol,
  team,
}) => {
  await want(bob, [alice, carol])
  const words = async (work: () => Promise<unknown>) =>
    await openedBy(bob, { sender: alice, entry: await entryOf(alice, work) })
  const { client } = alice
  const from = 'alice'
  const file = { name: 'disk.bin', type: 'text/plain', kind: 'file' } as const
  const sendFile = async (more: object) => {
    const draft = await client.files.draft(piecesOf(randomFile(10)))
    await client.files.send(team, { draft, ...file, ...more }, WITHIN)
    await draft.discard()
  }
  expect(await words(() => alice.say(team, '🦊'.repeat(500)))).toEqual({ text: '🦊'.repeat(160), from })
  expect(await words(() => sendFile({}))).toEqual({ text: 'disk.bin', from })
  expect(await words(() => sendFile({ text: 'a caption' }))).toEqual({ text: 'a caption', from })
  const poll = { question: 'When?', options: ['now', 'later'], multiple: false }
  expect(await words(() => client.messages.sendPoll(team, poll, WITHIN))).toEqual({ text: 'When?', from })
  expect(await words(() => client.messages.call(team, WITHIN))).toBeUndefined()
})

test('[CORE-26.7] silent messages, edits and messages that disappear have none', async ({ alice, bob, talk }) => {
  await want(bob, [alice])
  const { client } = alice
  const sent = entriesOn(alice.wire)
  await client.messages.sendText(talk, { text: 'hush', silent: true }, WITHIN)
  const { id } = await alice.say(talk, 'with a preview')
  await client.messages.edit(talk, { message: id, text: 'changed' }, WITHIN)
  await client.chats.setTimer(talk, 60_000, WITHIN)
  await alice.say(talk, 'gone soon')
  await client.chats.setTimer(talk, 0, WITHIN)
  await alice.say(talk, 'here to stay')
  expect(messagesIn(sent).map(({ preview }) => preview !== undefined)).toEqual([true, false, true])
  for (const { attention, preview } of sent) if (attention === 'none') expect(preview).toBeUndefined()
})

test('[CORE-26.8] there are keys of the current epoch and of the one before, and no others', async ({
  alice,
  bob,
  carol,
  team,
}) => {
  await want(bob, [alice, carol])
  const epochs = () => epochsOf(bob, team)
  const [first = 0] = epochs()
  expect(epochs()).toEqual([first])
  const entries: SentEntry[] = []
  const topics = new Set<string>()
  const end = bob.client.onChange(touched => {
    for (const topic of touched) topics.add(topic)
  })
  for (const step of [0, 1, 2]) {
    entries.push(await sayIn(alice, team, `in step ${step}`))
    topics.clear()
    await alice.client.chats.renameGroup(team, `step ${step}`, WITHIN)
    await expect.poll(epochs).toEqual([first + step, first + step + 1])
    await expect.poll(() => topics.has('preview-keys')).toBe(true)
  }
  end()
  const opened = await Promise.all(entries.map(entry => openedBy(bob, { sender: alice, entry })))
  expect(opened).toEqual([undefined, undefined, { text: 'in step 2', from: 'alice' }])
  expect(storedKeys(bob)).toBe(2)
})

test('[CORE-26.7] a message that comes too late for its epoch has a preview of the epoch in which it is sent', async ({
  alice,
  bob,
  carol,
  team,
}) => {
  await want(bob, [alice, carol])
  const [first = 0] = epochsOf(bob, team)
  const lost = loseEntries(alice)
  const said = alice.say(team, 'late')
  await expect.poll(() => messagesIn(lost)).toHaveLength(1)
  for (const name of ['one', 'two']) await carol.client.chats.renameGroup(team, name, WITHIN)
  await expect.poll(() => epochsOf(bob, team)).toEqual([first + 1, first + 2])
  const sent = entriesOn(alice.wire)
  alice.wire.drop()
  await said
  await bob.hears('late')
  const early = messagesIn(lost)[0] as SentEntry
  const late = messagesIn(sent).at(-1) as SentEntry
  expect(await openedBy(bob, { sender: alice, entry: early })).toBeUndefined()
  expect(await openedBy(bob, { sender: alice, entry: late })).toEqual({ text: 'late', from: 'alice' })
})

test('[CORE-26.8] a key that is derived after its epoch belongs to the present one', async ({
  world,
  alice,
  bob,
  carol,
  team,
}) => {
  await want(bob, [alice, carol])
  const [first = 0] = epochsOf(bob, team)
  await coreOf(bob).store.write(database => database.run('UPDATE preview_key SET key = NULL'))
  await world.close(bob)
  const entries: SentEntry[] = []
  for (const name of ['one', 'two', 'three']) {
    await alice.client.chats.renameGroup(team, name, WITHIN)
    entries.push(await sayIn(alice, team, `in ${name}`))
  }
  const reopened = await world.person('bob')
  await reopened.hears('in three')
  await expect.poll(() => dueKeys(reopened)).toBe(0)
  const epochs = epochsOf(reopened, team)
  expect(epochs).toContain(first + entries.length)
  for (const [at, entry] of entries.entries()) {
    const words = { text: `in ${['one', 'two', 'three'][at]}`, from: 'alice' }
    const isKept = epochs.includes(first + 1 + at)
    expect(await openedBy(reopened, { sender: alice, entry })).toEqual(isKept ? words : undefined)
  }
})

test('[CORE-26.8] a key that a kill prevented is derived after the next start', async ({ world, alice, bob, talk }) => {
  await want(bob, [alice])
  const { store } = coreOf(bob)
  const [key] = bob.client.pushes.previewKeys()
  await store.write(database => database.run('UPDATE preview_key SET key = NULL'))
  await world.close(bob)
  const reopened = await world.person('bob')
  await expect.poll(() => reopened.client.pushes.previewKeys()).toEqual([key])
  const entry = await sayIn(alice, talk, 'disk full')
  expect(await openedBy(reopened, { sender: alice, entry })).toEqual({ text: 'disk full' })
})

test('[CORE-26.8] there are no keys for requests and blocked people', async ({ world, alice, bob }) => {
  await alice.say(bob, 'first')
  await bob.hears('first')
  await want(bob, [alice])
  expect(epochsOf(bob, alice.chatId)).toHaveLength(1)
  const topics = new Set<string>()
  const end = bob.client.onChange(touched => {
    for (const topic of touched) topics.add(topic)
  })
  await bob.client.chats.block(alice.id)
  expect(epochsOf(bob, alice.chatId)).toEqual([])
  await expect.poll(() => topics.has('preview-keys')).toBe(true)
  end()
  await bob.client.chats.unblock(alice.id)
  expect(epochsOf(bob, alice.chatId)).toHaveLength(1)
  const dave = await world.person('dave', { acceptRequests: 'ask' })
  await dave.client.pushes.setPreviewsWanted(true)
  await alice.say(dave, 'may I?')
  await dave.next('chat', ({ chat }) => chat.state === 'request')
  await expect.poll(() => dueKeys(dave)).toBe(0)
  expect(epochsOf(dave, alice.chatId)).toEqual([])
  // Bob's alone.
  expect(wishesOf(alice)).toBe(1)
  await dave.client.chats.accept(alice.chatId)
  expect(epochsOf(dave, alice.chatId)).toHaveLength(1)
  await expect.poll(() => wishesOf(alice)).toBe(2)
})

test('[CORE-26.10] a device subscribes, changes its subscription and ends it', async ({ alice }) => {
  const { pushes } = alice.client
  const key = await pushes.key(WITHIN)
  expect(key).toHaveLength(65)
  const endpoint = 'https://updates.push.services.mozilla.com/wpush/v2/one'
  const subscription = { endpoint, p256dh: key ?? randomBytes(65), auth: randomBytes(16), muted: [] }
  await pushes.set(subscription, WITHIN)
  await pushes.set({ ...subscription, muted: [] }, WITHIN)
  await pushes.clear(WITHIN)
  await expect(pushes.set({ ...subscription, endpoint: 'http://127.0.0.1/' }, WITHIN)).rejects.toSatisfy(error =>
    isCoded(error, 'push-endpoint'),
  )
  alice.wire.cut()
  await expect(pushes.key({ timeoutMs: 1 })).rejects.toSatisfy(error => isCoded(error, 'relay-unreachable'))
})
