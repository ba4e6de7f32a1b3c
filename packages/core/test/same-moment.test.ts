// Changes made at the same moment: values read before are checked again in the transaction that writes.
import { isCoded } from '@postern/protocol'
import type { RelayFrame } from '@postern/protocol/relay'
import { HostileRelay, type TestPerson, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { blackPng } from '@postern/testkit/pictures'
import { expect } from 'vitest'
import { findChat, setChatState, showChat } from '../src/chats/records/chats.ts'
import { acceptRequest } from '../src/requests/accept-request.ts'
import { coreOf } from './hostile/modified-client.ts'

const test = base.extend('bob', ({ world }) => world.person('bob', { acceptRequests: 'contacts' }))

test('[CORE-17.1] of profile changes made at the same moment all are kept, and published', async ({ alice, bob }) => {
  await alice.openInvite(bob.client.identity.me().inviteUrl)
  const picture = blackPng(2, 2)
  const commands = [{ name: 'start', description: 'Begins' }]
  await Promise.all([
    bob.client.identity.setProfile({ name: 'Robert' }),
    bob.client.identity.setProfile({ about: 'helps' }),
    bob.client.identity.setProfile({ commands }),
    bob.client.identity.setProfile({ avatar: picture }),
  ])
  const wanted = { name: 'Robert', about: 'helps', commands }
  expect(bob.client.identity.me()).toMatchObject(wanted)
  await expect.poll(() => alice.client.identity.learnProfile(bob.id, WITHIN)).toMatchObject(wanted)
  expect(alice.client.identity.profileOf(bob.id).avatar).toMatch(/^data:image\/png;base64,/)
})

const versionsOf = (reader: TestPerson, person: TestPerson) =>
  coreOf(reader).store.get<{ wanted: number; known: number }>(
    'SELECT wanted_version AS wanted, profile_version AS known FROM person WHERE account_id = ?',
    person.id,
  )

type Delayed = 'getProfile' | 'putProfile' | 'appendMarked'

/** Answers with these names wait until the test releases them. */
function delay(person: TestPerson, ...names: Delayed[]) {
  const relay = new HostileRelay(person.wire)
  const first = Promise.withResolvers<void>()
  const held: Extract<RelayFrame, { kind: 'answer' }>[] = []
  const delayed = new Set<string>(names)
  relay.change(frame => {
    if (frame.kind !== 'answer' || !delayed.has(frame.name)) return [frame]
    held.push(frame)
    first.resolve()
    return []
  })
  const letCome = (name: Delayed) => {
    delayed.delete(name)
    for (const frame of held) if (frame.name === name) relay.say(frame)
  }
  return { held: first.promise, letCome }
}

test('[CORE-17.2] a profile that was changed again while it was fetched is fetched again', async ({ alice, bob }) => {
  await alice.openInvite(bob.client.identity.me().inviteUrl)
  await expect.poll(() => versionsOf(alice, bob)).toEqual({ wanted: 1, known: 1 })
  const fetched = delay(alice, 'getProfile')
  await bob.client.identity.setProfile({ about: 'first' })
  await fetched.held
  await bob.client.identity.setProfile({ about: 'second' })
  await expect.poll(() => versionsOf(alice, bob)).toEqual({ wanted: 3, known: 1 })
  fetched.letCome('getProfile')
  await expect.poll(() => alice.client.identity.profileOf(bob.id)).toMatchObject({ about: 'second' })
  expect(versionsOf(alice, bob)).toEqual({ wanted: 3, known: 3 })
})

test('[CORE-9.1] a name that is published while a message is on its way is told all the same', async ({
  alice,
  bob,
}) => {
  await alice.openInvite(bob.client.identity.me().inviteUrl)
  await bob.say(alice, 'hi')
  const answers = delay(bob, 'putProfile', 'appendMarked')
  await bob.client.identity.setProfile({ name: 'Robert' })
  await answers.held
  const said = bob.say(alice, 'still bob')
  await alice.hears('still bob')
  answers.letCome('putProfile')
  await expect.poll(() => alice.client.identity.profileOf(bob.id).name).toBe('Robert')
  answers.letCome('appendMarked')
  await said
})

test('[CORE-17.3] a request that has ended in the moment in which it is accepted does not come back', async ({
  alice,
  bob,
}) => {
  const chat = await alice.createGroup('club', [bob])
  const core = coreOf(bob)
  const removed = core.store.write(database => setChatState(database, chat, 'left'))
  await expect(acceptRequest(core, chat)).rejects.toSatisfy((error: unknown) => isCoded(error, 'chat-left'))
  await removed
  expect(bob.client.chats.get(chat).state).toBe('left')
})

test('[CORE-17.3] who writes first to a chat that becomes a request in that moment is told so, and nothing is lost', async ({
  alice,
  bob,
}) => {
  // A chat in which only the two clients have spoken so far.
  const core = coreOf(bob)
  await alice.openInvite(bob.client.identity.me().inviteUrl)
  await bob.next('chat')
  await core.store.write(database => {
    setChatState(database, alice.chatId, 'request')
    database.run('UPDATE chat SET visible = 0 WHERE id = ?', alice.chatId)
  })
  const shown = core.store.write(database => showChat(database, alice.chatId, { state: 'request', ts: 1 }))
  await expect(bob.say(alice, 'hi')).rejects.toSatisfy((error: unknown) => isCoded(error, 'chat-is-request'))
  await shown
  expect(findChat(core.store, alice.chatId)).toMatchObject({ state: 'request', visible: 1 })
  await alice.say(bob, 'are you there?')
  await expect.poll(() => bob.texts(alice)).toEqual(['are you there?'])
  await bob.client.chats.accept(alice.chatId)
  await bob.hears('are you there?')
})

test('[CORE-6.10] of two answers to a press that are given at the same moment one is taken', async ({ alice, bot }) => {
  await alice.openInvite(bot.client.identity.me().inviteUrl)
  const buttons = [[{ text: 'Yes', data: 'yes' }]]
  const asked = await bot.client.messages.sendText(alice.chatId, { text: 'Deploy?', buttons }, WITHIN)
  await alice.hears('Deploy?')
  const press = await alice.client.messages.press(bot.chatId, { message: asked.id, data: 'yes' }, WITHIN)
  await bot.next('button')
  const answers = await Promise.allSettled(
    ['first', 'second', 'third'].map(text => bot.client.messages.answerPress(press, text, WITHIN)),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected'])
  expect((await alice.next('toast')).toast.text).toBe('first')
})
