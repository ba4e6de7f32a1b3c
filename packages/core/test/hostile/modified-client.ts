// A member with a modified client, and a relay that cooperates:
// everything they can make with real keys, past every check of ours.
import {
  commitIntent,
  createGroup,
  decryptMessage,
  encryptMessage,
  type GroupSession,
  memberAccounts,
  signFarewell,
} from '@postern/mls'
import {
  type AccountId,
  type ChatId,
  Deadline,
  type GroupId,
  groupIdToBytes,
  toBase64Url,
  utf8,
} from '@postern/protocol'
import { encodeGroupSettings, type GroupSettings } from '@postern/protocol/content'
import type { MailboxEntry } from '@postern/protocol/relay'
import { type HostileRelay, type TestPerson, WITHIN } from '@postern/testkit'
import { fetchKeyPackages } from '../../src/chats/keys/fetch-key-packages.ts'
import { openGroupChat } from '../../src/chats/opening/open-chat.ts'
import { findChat } from '../../src/chats/records/chats.ts'
import type { Core } from '../../src/context.ts'
import { type CommitPlanner, commitToGroup } from '../../src/groups/commit-group.ts'
import type { OwnAccount } from '../../src/identity/account.ts'
import { makeKeyPackage } from '../../src/identity/key-packages.ts'
import { newDraft } from '../../src/outbox/compose.ts'

export const coreOf = (person: TestPerson): Core => (person.client as unknown as { core: Core }).core

export const deadlineOf = (person: TestPerson): Deadline => new Deadline(coreOf(person).clock, WITHIN)

/** The MLS group in which the person writes. */
export function groupOf(person: TestPerson, chat: ChatId): GroupId {
  const row = findChat(coreOf(person).store, chat)
  if (!row) throw new Error(`${person.name} has no such chat`)
  return row.group_id
}

/** A commit that our client would never make. */
export async function commitAs(person: TestPerson, chat: ChatId, intent: CommitPlanner): Promise<void> {
  await commitToGroup(coreOf(person), groupOf(person, chat), { intent, deadline: deadlineOf(person) })
}

/** The proof in a farewell, without saying it. */
export const farewellProof = (person: TestPerson, chat: ChatId): Promise<string> =>
  coreOf(person).groups.run(groupOf(person, chat), async ({ session }) =>
    toBase64Url(await signFarewell(session.context, session.state)),
  )

/** All accounts with keys of the group, also those that the lists leave out. */
export const keyHolders = (person: TestPerson, chat: ChatId): Promise<AccountId[]> =>
  coreOf(person).groups.run(groupOf(person, chat), async live => memberAccounts(live.session).toSorted())

/** A commit with settings of any bytes. Its maker cannot follow it: others see what it does. */
export async function commitBytes(person: TestPerson, chat: ChatId, settings: Uint8Array): Promise<void> {
  const core = coreOf(person)
  const { wire: payload } = await core.groups.run(groupOf(person, chat), live =>
    commitIntent(live.session, { settings }),
  )
  const request = { payload, add: [], remove: [], welcome: undefined }
  const { accepted } = await core.link.call('commit', request, deadlineOf(person).leftMs())
  if (!accepted) throw new Error('the relay took no commit of a member')
}

export const keyPackagesOf = (taker: TestPerson, accounts: AccountId[]) =>
  fetchKeyPackages(coreOf(taker), accounts, deadlineOf(taker))

type Forged = {
  group: GroupId
  settings: GroupSettings
  victim: AccountId
  others?: AccountId[]
  epochs?: number
  /** Keys of another person's device, as a thief has copied them. */
  as?: OwnAccount
}

/** A group made by the forger under any id, with the victim in it, and the welcome that leads there. */
export async function forgeWelcome(
  forger: TestPerson,
  { group, settings, victim, others = [], epochs = 1, as }: Forged,
): Promise<{ session: GroupSession; welcome: Uint8Array; wire: Uint8Array; before: Uint8Array[] }> {
  const core = coreOf(forger)
  let session = await createGroup(core.mls, {
    groupId: groupIdToBytes(group),
    keyPackage: await makeKeyPackage({ ...core, own: as ?? core.own }),
    settings: encodeGroupSettings(settings),
  })
  const before: Uint8Array[] = []
  for (let epoch = 0; epoch < epochs; epoch++) {
    const { session: next, wire } = await commitIntent(session, {})
    session = next
    before.push(wire)
  }
  const taken = await keyPackagesOf(forger, [victim, ...others])
  const add = taken.map(({ account, keyPackage }) => ({ accountId: account, keyPackage }))
  const made = await commitIntent(session, { add })
  if (!made.welcome) throw new Error('the commit made no welcome')
  return { session: made.session, welcome: made.welcome, wire: made.wire, before }
}

/** The same through an honest relay, which only requires all commits of the group. */
export async function openForged(forger: TestPerson, forged: Forged): Promise<GroupSession> {
  const { link } = coreOf(forger)
  const { wire, welcome, session, before } = await forgeWelcome(forger, { epochs: 0, ...forged })
  await link.call('createGroup', { group: forged.group, continues: undefined })
  for (const payload of before) await link.call('commit', { payload, add: [], remove: [], welcome: undefined })
  const add = [forged.victim, ...(forged.others ?? [])]
  const { accepted } = await link.call('commit', { payload: wire, add, remove: [], welcome })
  if (!accepted) throw new Error('the relay took no group from its creator')
  return session
}

/** The parts of the device that a thief has: its keys and its certificate, not the key of the account. */
export const copiedDevice = (person: TestPerson): OwnAccount => ({
  ...coreOf(person).own,
  secretKey: new Uint8Array(32),
})

/** The relay puts it into the victim's mailbox. */
export function deliver(
  relay: HostileRelay,
  entry: Pick<MailboxEntry, 'kind' | 'group' | 'sender' | 'payload'> & Partial<MailboxEntry>,
): void {
  const made = { cursor: relay.shown + 1, seq: 1, ts: Date.now(), added: [], removed: [], ...entry }
  relay.say({ kind: 'deliver', entries: [made] })
}

/** Whether the session can read the ciphertext. */
export async function canRead(session: GroupSession, wire: Uint8Array): Promise<boolean> {
  return await decryptMessage(session, wire).then(
    () => true,
    () => false,
  )
}

/** With an unchecked title. */
export const openTitled = async (person: TestPerson, title: string, members: AccountId[]): Promise<ChatId> =>
  (await openGroupChat(coreOf(person), { name: title, members, deadline: deadlineOf(person) })).id

/** Publishes an unchecked profile of the person. */
export async function publishProfile(person: TestPerson, profile: object): Promise<void> {
  const { store, wakeChores } = coreOf(person)
  await store.write(database =>
    database.run('UPDATE account SET profile = ?, profile_version = profile_version + 1', JSON.stringify(profile)),
  )
  wakeChores()
}

type Words = { body: object; hello?: { name: string; profileKey: string } }

/** Unchecked content, as another program writes it. */
export async function sayWords(person: TestPerson, chat: ChatId, words: Words): Promise<void> {
  const core = coreOf(person)
  const { send } = newDraft(core, { kind: 'hello' })
  const payload = await core.groups.run(groupOf(person, chat), async live => {
    const content = utf8(JSON.stringify({ v: 1, send, profileVersion: 1, ...words }))
    const { session, wire } = await encryptMessage(live.session, content)
    live.session = session
    return wire
  })
  await core.link.call('append', { payload, to: undefined, leave: false }, deadlineOf(person).leftMs())
}
