// Previews and wishes of members that break the rules, and of a relay that mixes them up.
import { encryptMessage } from '@postern/mls'
import { type ChatId, messageIdFromHash, toBase64Url } from '@postern/protocol'
import { encodeContent } from '@postern/protocol/content'
import { encodePreview, isPreviewOf, previewContext, previewPlaintext } from '@postern/protocol/preview'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { previewKey } from '../../src/groups/derive-preview-key.ts'
import { epochOf } from '../../src/groups/group-sessions.ts'
import { newDraft } from '../../src/outbox/compose.ts'
import { entriesOn, type SentEntry } from '../marked-entries.ts'
import { messageOf, openedBy, wishesOf } from '../opened-previews.ts'
import { coreOf, deadlineOf, groupOf, sayWords } from './modified-client.ts'

const test = base.extend('team', async ({ alice, bob, mallory }) => {
  const chat = await alice.createGroup('team', [bob, mallory])
  await alice.say(chat, 'first')
  for (const person of [bob, mallory]) await person.hears('first')
  return chat
})

async function want(reader: TestPerson, chats: number, ...writers: TestPerson[]): Promise<void> {
  await reader.client.pushes.setPreviewsWanted(true)
  for (const writer of writers) await expect.poll(() => wishesOf(writer)).toBe(chats)
  await expect.poll(() => coreOf(reader).store.all('SELECT 1 FROM preview_key WHERE key IS NULL')).toEqual([])
}

async function said(person: TestPerson, chat: ChatId, text: string): Promise<SentEntry> {
  const sent = entriesOn(person.wire)
  await person.say(chat, text)
  const entry = sent.find(({ attention }) => attention !== 'none')
  if (!entry) throw new Error('no message was sent')
  return entry
}

test('[CORE-26.9] a relay cannot put a preview beside another message, sender or group', async ({
  alice,
  bob,
  mallory,
  team,
}) => {
  await alice.say(bob, 'in private')
  await bob.hears('in private')
  await want(bob, 2, alice)
  const [one, two] = [await said(alice, team, 'one'), await said(alice, team, 'two')]
  const inPrivate = await said(alice, bob.chatId, 'three')
  expect(await openedBy(bob, { sender: alice, entry: one })).toEqual({ text: 'one', from: 'alice' })
  expect(await openedBy(bob, { sender: alice, entry: inPrivate })).toEqual({ text: 'three' })
  expect(await openedBy(bob, { sender: alice, entry: { ...two, preview: one.preview } })).toBeUndefined()
  expect(await openedBy(bob, { sender: mallory, entry: one })).toBeUndefined()
  const message = messageOf(one)
  expect(await openedBy(bob, { sender: alice, entry: { ...inPrivate, preview: one.preview }, message })).toBeUndefined()
  expect(await openedBy(bob, { sender: alice, entry: one, message: messageOf(two) })).toBeUndefined()
})

test('[CORE-26.9] a removed member opens no later preview with the keys that it had', async ({
  alice,
  bob,
  mallory,
  team,
}) => {
  await want(bob, 1, alice)
  await want(mallory, 2, alice)
  const stolen = mallory.client.pushes.previewKeys()
  await alice.client.chats.removeMembers(team, [mallory.id], WITHIN)
  const entry = await said(alice, team, 'among us')
  const thief = { client: { pushes: { previewKeys: () => stolen } } } as unknown as TestPerson
  expect(stolen).not.toEqual([])
  expect(await openedBy(thief, { sender: alice, entry })).toBeUndefined()
  await bob.hears('among us')
  await expect.poll(() => openedBy(bob, { sender: alice, entry })).toEqual({ text: 'among us', from: 'alice' })
})

test('[CORE-26.9] a wish is one bit of its chat, however often it is announced', async ({
  alice,
  bob,
  mallory,
  team,
}) => {
  await alice.say(mallory, 'in private')
  await mallory.hears('in private')
  const size = sizeOf(alice)
  const profileKey = toBase64Url(coreOf(mallory).own.profileKey)
  const wish = (chat: ChatId, previews: unknown) =>
    sayWords(mallory, chat, {
      body: { kind: 'hello' },
      hello: { name: 'mallory', profileKey, previews } as { name: string; profileKey: string },
    })
  for (let at = 0; at < 50; at++) await wish(alice.chatId, at % 2 === 0)
  await wish(alice.chatId, 'yes')
  await wish(alice.chatId, true)
  await expect.poll(() => wishesOf(alice)).toBe(1)
  expect(sizeOf(alice)).toEqual(size)
  expect((await said(alice, mallory.chatId, 'to her')).preview).toBeDefined()
  expect((await said(alice, team, 'to all')).preview).toBeUndefined()
  expect((await said(bob, team, 'to all, too')).preview).toBeUndefined()
})

/** The rows that a flood could add to. */
const sizeOf = (person: TestPerson): unknown[] =>
  ['member', 'preview_key', 'message'].map(table => coreOf(person).store.get(`SELECT count(*) FROM ${table}`))

test('[CORE-26.9] a member’s preview that says something else is recognized when the message is there', async ({
  alice,
  bob,
  mallory,
  team,
}) => {
  await want(bob, 1, alice, mallory)
  const entry = await lie(mallory, team, { text: 'the disk is fine', shown: 'alice: fire!' })
  const preview = await openedBy(bob, { sender: mallory, entry })
  if (!preview) throw new Error('the preview does not open')
  expect(preview).toMatchObject({ text: 'alice: fire!' })
  const message = await bob.hears('the disk is fine')
  expect(isPreviewOf(preview, message)).toBe(false)
  const honest = await said(alice, team, 'the disk is full')
  const shown = await openedBy(bob, { sender: alice, entry: honest })
  expect(isPreviewOf(shown ?? { text: '' }, await bob.hears('the disk is full'))).toBe(true)
})

type Lie = { text: string; shown: string }

/** A message whose preview says something else, as a modified client sends it. */
async function lie(person: TestPerson, chat: ChatId, { text, shown }: Lie): Promise<SentEntry> {
  const core = coreOf(person)
  const group = groupOf(person, chat)
  const entry = await core.groups.run(group, async live => {
    const { send } = newDraft(core, { kind: 'hello' })
    const content = encodeContent({ send, profileVersion: 1, body: { kind: 'text', text } })
    const { session, wire } = await encryptMessage(live.session, content)
    const message = messageIdFromHash(core.provider.sha256(wire))
    const nonce = core.provider.randomBytes(12)
    const aad = previewContext({ group, sender: core.own.id, message })
    const plaintext = previewPlaintext({ text: shown }) ?? new Uint8Array(0)
    const sealed = await core.provider.aeadSeal({ key: await previewKey(live), nonce, aad }, plaintext)
    const preview = encodePreview({ epoch: epochOf(live), nonce, sealed })
    live.session = session
    return { payload: wire, to: undefined, leave: false, attention: 'mention', preview } as const
  })
  await core.link.call('appendMarked', entry, deadlineOf(person).leftMs())
  return entry
}
