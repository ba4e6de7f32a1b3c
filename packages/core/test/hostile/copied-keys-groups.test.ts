// A member with the copied keys of another member's device:
// nobody accepts what it signs with them in the group as the owner's.
import { commitIntent, encryptMessage, type GroupSession, leafOf, rosterOf, sealDirect } from '@postern/mls'
import type { ChatId } from '@postern/protocol'
import { encodeContent, encodeGroupSettings, type KnownBody } from '@postern/protocol/content'
import type { TestPerson } from '@postern/testkit'
import { expect } from 'vitest'
import type { OwnAccount } from '../../src/identity/account.ts'
import { newDraft } from '../../src/outbox/compose.ts'
import { test } from './fixtures.ts'
import { copiedDevice, coreOf, deadlineOf, groupOf } from './modified-client.ts'
import { adminsFor, codesOf, expectAllHear, groupSettings, ids, membersFor } from './team.ts'

/** The group as the owner of the copied keys has it, as far as another member can tell. */
const sessionAs = (mallory: TestPerson, chat: ChatId, stolen: OwnAccount): Promise<GroupSession> =>
  coreOf(mallory).groups.run(groupOf(mallory, chat), async ({ session: { context, state } }) => {
    const leafIndex = leafOf(rosterOf({ context, state }), stolen.id)
    if (leafIndex === undefined) throw new Error('no such member')
    const privatePath = { ...state.privatePath, leafIndex }
    return { context, state: { ...state, privatePath, signaturePrivateKey: stolen.deviceSecretKey } }
  })

const contentOf = (person: TestPerson, body: KnownBody) =>
  encodeContent({ send: newDraft(coreOf(person), body).send, profileVersion: 1, body })

async function commitUnder(mallory: TestPerson, session: GroupSession, admins: TestPerson[]): Promise<void> {
  const { wire: payload } = await commitIntent(session, { settings: encodeGroupSettings(groupSettings(admins)) })
  const request = { payload, add: [], remove: [], welcome: undefined }
  await coreOf(mallory).link.call('commit', request, deadlineOf(mallory).leftMs())
}

test('[CORE-22.2] a message under another member’s copied keys is not read as theirs', async ({
  alice,
  bob,
  mallory,
  chat,
}) => {
  const session = await sessionAs(mallory, chat, copiedDevice(bob))
  const { wire: payload } = await encryptMessage(session, contentOf(mallory, { kind: 'text', text: 'I am bob' }))
  await coreOf(mallory).link.call('append', { payload, to: undefined, leave: false }, deadlineOf(mallory).leftMs())
  const told = await alice.next('notice', event => event.notice.code === 'undecryptable')
  expect(told).toMatchObject({ chat_id: chat, notice: { from: { id: mallory.id } } })
  await bob.say(chat, 'I am the real one')
  await alice.hears('I am the real one')
  expect(alice.texts(chat)).toEqual(['before', 'I am the real one'])
})

test('[CORE-22.2] a commit under an admin’s copied keys makes nobody an admin, and the admin stays', async ({
  alice,
  bob,
  carol,
  mallory,
  chat,
}) => {
  await commitUnder(mallory, await sessionAs(mallory, chat, copiedDevice(alice)), [mallory])
  await expect.poll(() => codesOf(bob, chat)).toContain('undecryptable')
  await expectAllHear(chat, [alice, bob, carol])
  for (const person of [alice, bob, carol]) {
    expect(adminsFor(person, chat)).toEqual([alice.id])
    expect(membersFor(person, chat)).toEqual(ids([alice, bob, carol, mallory]))
  }
})

test('[CORE-22.2] a commit that breaks the rules under copied keys puts their owner out of nothing', async ({
  alice,
  bob,
  carol,
  mallory,
  chat,
}) => {
  await commitUnder(mallory, await sessionAs(mallory, chat, copiedDevice(bob)), [bob])
  await expect.poll(() => codesOf(carol, chat)).toContain('undecryptable')
  await expectAllHear(chat, [alice, bob, carol])
  for (const person of [alice, bob, carol]) {
    expect(codesOf(person, chat)).not.toContain('refused')
    expect(membersFor(person, chat)).toContain(bob.id)
  }
})

test('[CORE-22.2] a message to one member under copied keys is not read', async ({ alice, bob, mallory, chat }) => {
  const said = await alice.say(chat, 'who has read this?')
  await mallory.hears('who has read this?')
  const session = await sessionAs(mallory, chat, copiedDevice(bob))
  const body: KnownBody = { kind: 'receipt', deliveredTs: said.ts, readTs: said.ts }
  const payload = await sealDirect(session, leafOf(rosterOf(session), alice.id) ?? 0, contentOf(mallory, body))
  await coreOf(mallory).link.call('append', { payload, to: alice.id, leave: false }, deadlineOf(mallory).leftMs())
  await mallory.say(chat, 'behind it')
  await alice.hears('behind it')
  const readTs = coreOf(alice).store.get<{ read_ts: number }>(
    'SELECT read_ts FROM member WHERE chat_id = ? AND account_id = ?',
    chat,
    bob.id,
  )?.read_ts
  expect(readTs).toBeLessThan(said.ts)
})
