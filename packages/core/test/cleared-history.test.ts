// Cleared histories and deleted chats: nothing remains on this device, nothing comes back, and the others keep theirs.
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ChatId, MessageId } from '@postern/protocol'
import { HostileRelay, passTime, type TestPerson, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import Sqlite from 'better-sqlite3-multiple-ciphers'
import { describe, expect } from 'vitest'
import { coded, piecesOf, randomFile, vaultFiles } from './files-world.ts'
import { coreOf } from './hostile/modified-client.ts'
import { loseAnswers, mend } from './lossy-wire.ts'

/** Every page of the database without its encryption, including free ones and leftovers. */
function plainBytesOf(directory: string): string {
  const path = join(directory, 'core.db')
  const sqlite = new Sqlite(path)
  sqlite.pragma("cipher='aegis'")
  sqlite.pragma(`key='raw:${readFileSync(join(directory, 'db.key')).toString('hex')}'`)
  sqlite.pragma('journal_mode = DELETE')
  sqlite.pragma("rekey=''")
  sqlite.close()
  return readFileSync(path, 'latin1')
}

const rowsOf = (person: TestPerson, table: string) => coreOf(person).store.all(`SELECT * FROM ${table}`)
const listed = (person: TestPerson) => person.client.chats.list().map(({ id }) => id)
const linesIn = (person: TestPerson, chat: ChatId) => person.client.messages.history(chat, { limit: 10 }).rows
const waiting = (person: TestPerson) =>
  person.client.journal
    .read(0, 1000)
    .map(({ json }) => json)
    .join('\n')

const CONTENT = ['message', 'notice', 'reaction', 'poll', 'vote', 'held_event']

const test = base
  /** Bob has a text, a reaction, a poll with a vote and a file from alice, all unread; the file is in his vault. */
  .extend('talked', ({ alice, bob }) => async (): Promise<MessageId> => {
    const { id } = await alice.say(bob, 'canary-text')
    await alice.client.messages.react(bob.chatId, { message: id, emoji: '🦊' }, WITHIN)
    const asked = { question: 'canary-question', options: ['canary-one', 'canary-two'], multiple: false }
    const poll = await alice.client.messages.sendPoll(bob.chatId, asked, WITHIN)
    await alice.client.messages.vote(bob.chatId, { message: poll.id, options: [0] }, WITHIN)
    const draft = await alice.client.files.draft(piecesOf(randomFile(2000)))
    const words = { draft, name: 'canary.bin', type: 'application/octet-stream', kind: 'file', text: 'canary' } as const
    const file = await alice.client.files.send(bob.chatId, words, WITHIN)
    await draft.discard()
    await bob.hears('canary')
    const opened = await bob.client.files.open(alice.chatId, file.id, WITHIN)
    for await (const _ of opened.read()) continue
    expect(vaultFiles(bob)).toHaveLength(1)
    expect(bob.client.chats.get(alice.chatId).unread).toBe(3)
    return id
  })

describe('[CORE-25.1] a cleared history', () => {
  test('leaves no message, notice, file, event text or byte on this device, and the chat stays', async ({
    world,
    alice,
    bob,
    talked,
  }) => {
    const message = await talked()
    await bob.client.chats.clearHistory(alice.chatId)
    for (const table of CONTENT) expect(rowsOf(bob, table)).toEqual([])
    expect(linesIn(bob, alice.chatId)).toEqual([])
    expect(bob.client.messages.search({ text: 'canary', limit: 10 })).toEqual([])
    expect(bob.client.chats.get(alice.chatId)).toMatchObject({ state: 'active', unread: 0 })
    expect(waiting(bob)).not.toMatch(/canary|🦊/)
    await expect.poll(() => vaultFiles(bob)).toEqual([])
    // The others keep theirs, and what they do to it changes nothing here.
    expect(alice.texts(bob)).toEqual(['canary-text', '', 'canary'])
    await alice.client.messages.edit(bob.chatId, { message, text: 'canary-again' }, WITHIN)
    await alice.say(bob, 'next')
    await bob.hears('next')
    expect(bob.texts(alice)).toEqual(['next'])
    await world.close(bob)
    const bytes = plainBytesOf(bob.directory)
    expect(bytes).toContain('next')
    expect(bytes).not.toContain('canary')
  })

  test('touches no other chat', async ({ alice, bob, carol, talked }) => {
    const { id } = await carol.say(bob, 'from carol')
    await bob.hears('from carol')
    await carol.client.messages.react(bob.chatId, { message: id, emoji: '🐙' }, WITHIN)
    await bob.next('reaction')
    await talked()
    await bob.client.chats.clearHistory(alice.chatId)
    expect(bob.texts(carol)).toEqual(['from carol'])
    expect(bob.client.chats.get(carol.chatId).unread).toBe(1)
    expect(waiting(bob)).toMatch(/from carol[\s\S]*🐙/)
  })

  test('is refused for a request, which is declined instead', async ({ world, alice }) => {
    const asking = await world.person('asking', { acceptRequests: 'ask' })
    await alice.say(asking, 'hello')
    await expect.poll(() => listed(asking)).toEqual([alice.chatId])
    await expect(asking.client.chats.clearHistory(alice.chatId)).rejects.toSatisfy(coded('chat-is-request'))
    await expect(asking.client.chats.delete(alice.chatId)).rejects.toSatisfy(coded('chat-is-request'))
    expect(asking.texts(alice)).toEqual(['hello'])
  })
})

describe('[CORE-25.2] what was cleared does not come back', () => {
  test('when the relay delivers it again, under its cursor or another', async ({ alice, bob }) => {
    const relay = new HostileRelay(bob.wire)
    await alice.say(bob, 'canary')
    await bob.hears('canary')
    await bob.client.chats.clearHistory(alice.chatId)
    relay.say({ kind: 'deliver', entries: relay.delivered })
    const { shown } = relay
    relay.say({ kind: 'deliver', entries: relay.delivered.map((entry, at) => ({ ...entry, cursor: shown + 1 + at })) })
    await bob.next('notice', ({ notice }) => notice.code === 'undecryptable')
    expect(bob.texts(alice)).toEqual([])
  })

  test('from a backup that was made afterwards', async ({ world, alice, bob, talked }) => {
    await talked()
    await bob.client.chats.clearHistory(alice.chatId)
    const saved = await world.backUp(bob)
    await alice.say(saved, 'since then')
    await saved.hears('since then')
    const restored = await world.restore(saved)
    await expect.poll(() => restored.texts(alice)).toEqual(['since then'])
  })
})

test('[CORE-25.3] a kill before the commit leaves the whole history, and one after it nothing', async ({
  world,
  alice,
  bob,
  talked,
}) => {
  await talked()
  const { store } = coreOf(bob)
  const [before, after] = [`${bob.directory}.before`, `${bob.directory}.after`]
  const { write, eraseTraces } = store
  // The files as a kill would leave them: everything is erased, and nothing of it is committed yet.
  store.write = change => {
    store.write = write
    return write.call(store, database => {
      const outcome = change(database)
      cpSync(bob.directory, before, { recursive: true })
      return outcome
    }) as never
  }
  store.eraseTraces = () => {
    store.eraseTraces = eraseTraces
    cpSync(bob.directory, after, { recursive: true })
  }
  await bob.client.chats.delete(alice.chatId)
  await world.close(bob)
  const whole = await world.person('bob', { directory: before })
  expect(whole.texts(alice)).toEqual(['canary-text', '', 'canary'])
  expect(whole.client.chats.get(alice.chatId).unread).toBe(3)
  await world.close(whole)
  const gone = await world.person('bob', { directory: after })
  expect(listed(gone)).toEqual([])
  for (const table of CONTENT) expect(rowsOf(gone, table)).toEqual([])
  await expect.poll(() => vaultFiles({ directory: after })).toEqual([])
})

describe('[CORE-25.4] a deleted private chat', () => {
  test('is gone until the next message, and neither an edit nor a new name brings it back, also after a restart', async ({
    world,
    alice,
    bob,
    talked,
  }) => {
    const message = await talked()
    await bob.client.chats.delete(alice.chatId)
    expect(listed(bob)).toEqual([])
    for (const table of CONTENT) expect(rowsOf(bob, table)).toEqual([])
    // Deleted once: a repeat changes nothing.
    await bob.client.chats.delete(alice.chatId)
    await world.close(bob)
    const again = await world.person('bob')
    await alice.client.messages.edit(bob.chatId, { message, text: 'edited' }, WITHIN)
    await alice.client.messages.react(bob.chatId, { message, emoji: '🐙' }, WITHIN)
    await alice.client.identity.setProfile({ name: 'alicia' })
    await alice.client.messages.call(bob.chatId, WITHIN)
    const { ts } = await alice.say(again, 'still there?')
    await again.hears('still there?')
    expect(again.texts(alice)).toEqual(['still there?'])
    // It is shown with that message, and was not by anything before it.
    expect(again.client.chats.get(alice.chatId)).toMatchObject({ state: 'active', unread: 1, ts })
    await again.say(alice, 'yes')
    await alice.hears('yes')
  })

  test('is shown again when its owner writes, or opens the link of its person', async ({ alice, bob }) => {
    await alice.say(bob, 'one')
    await bob.hears('one')
    await bob.client.chats.delete(alice.chatId)
    await bob.say(alice, 'two')
    await alice.hears('two')
    expect(bob.texts(alice)).toEqual(['two'])
    await alice.say(bob, 'three')
    await bob.hears('three')
    expect(bob.texts(alice)).toEqual(['two', 'three'])
    await bob.client.chats.delete(alice.chatId)
    await bob.openInvite(alice.client.identity.me().inviteUrl)
    expect(listed(bob)).toEqual([alice.chatId])
    expect(bob.texts(alice)).toEqual([])
  })

  test('stays hidden for an account that is rebuilt from its recovery facts', async ({ world, alice, bob }) => {
    await alice.say(bob, 'one')
    await bob.hears('one')
    await bob.client.chats.delete(alice.chatId)
    const facts = bob.client.identity.recovery()
    await world.close(bob)
    const rebuilt = await world.person('bob', { directory: `${bob.directory}.rebuilt`, restore: facts })
    // Its new keys are there, and so is her new name.
    await alice.next('notice', ({ notice }) => notice.code === 'key_changed')
    await alice.client.identity.setProfile({ name: 'alicia' })
    await expect.poll(() => rebuilt.client.identity.profileOf(alice.id).name).toBe('alicia')
    expect(listed(rebuilt)).toEqual([])
    await alice.say(rebuilt, 'two')
    await rebuilt.hears('two')
    expect(rebuilt.texts(alice)).toEqual(['two'])
  })
})

test('[CORE-25.5] a send that was in doubt when its chat was deleted shows the chat again, and a reaction does not', async ({
  clock,
  world,
  bob,
}) => {
  // Her clock is stopped: nothing of hers is given up before the relay has it.
  const carol = await world.person('carol', { clock })
  const { id } = await carol.say(bob, 'one')
  await bob.hears('one')
  const soon = { timeoutMs: 300 }
  const inDoubt = async (send: () => Promise<unknown>): Promise<void> => {
    const lost = loseAnswers(carol, 'appendMarked', 'outcome')
    const failed = send().catch((error: unknown) => error)
    await expect.poll(lost).toBeGreaterThan(0)
    clock.advance(soon.timeoutMs)
    expect(await failed).toSatisfy(coded('send-in-doubt'))
  }
  const deleteAndReconnect = async (): Promise<void> => {
    await carol.client.chats.delete(bob.chatId)
    expect(listed(carol)).toEqual([])
    mend(carol)
    await passTime(clock, carol.client.whenOnline({ timeoutMs: 3_600_000 }))
    await expect.poll(() => rowsOf(carol, 'outbox')).toEqual([])
  }
  await inDoubt(() => carol.client.messages.react(bob.chatId, { message: id, emoji: '🐙' }, soon))
  await deleteAndReconnect()
  expect(listed(carol)).toEqual([])
  await inDoubt(() => carol.client.messages.sendText(bob.chatId, { text: 'two' }, soon))
  await deleteAndReconnect()
  expect(carol.texts(bob)).toEqual(['two'])
})

describe('[CORE-25.6] a deleted group', () => {
  test('is left once the relay can be reached, and nothing that comes until then is kept', async ({
    alice,
    bob,
    carol,
  }) => {
    const chat = await alice.createGroup('team', [bob, carol])
    await alice.say(chat, 'one')
    await bob.hears('one')
    bob.wire.cut()
    await bob.client.chats.delete(chat)
    expect(listed(bob)).toEqual([])
    await alice.say(chat, 'two')
    bob.wire.mend()
    await alice.next('notice', ({ notice }) => notice.code === 'left' && notice.from.id === bob.id)
    await alice.say(chat, 'three')
    await carol.hears('three')
    await expect.poll(() => alice.client.chats.get(chat).members).toHaveLength(2)
    expect(listed(bob)).toEqual([])
    expect(rowsOf(bob, 'message')).toEqual([])
    // A new chat for an account that is added again.
    await alice.client.chats.addMembers(chat, [bob.id], WITHIN)
    await alice.say(chat, 'welcome back')
    await bob.hears('welcome back')
    expect(bob.texts(chat)).toEqual(['welcome back'])
  })

  test('that was left before is gone at once', async ({ alice, bob }) => {
    const chat = await alice.createGroup('team', [bob])
    await alice.say(chat, 'one')
    await bob.hears('one')
    await bob.client.chats.leaveGroup(chat, WITHIN)
    await bob.client.chats.delete(chat)
    expect(listed(bob)).toEqual([])
    expect(rowsOf(bob, 'message')).toEqual([])
  })
})
