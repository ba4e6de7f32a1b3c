// A group of four with one member that breaks the rules, and what that member can do beside commits.
import type { Notice } from '@postern/bot-api/events'
import { encryptMessage } from '@postern/mls'
import { type ChatId, type GroupId, groupIdToBytes } from '@postern/protocol'
import { encodeContent, type GroupSettings, type KnownBody } from '@postern/protocol/content'
import type { PersonOptions, TestPerson, World } from '@postern/testkit'
import { expect } from 'vitest'
import { openSuccessor } from '../../src/chats/opening/open-chat.ts'
import type { JournalEvent } from '../../src/journal/journal.ts'
import { newDraft } from '../../src/outbox/compose.ts'
import { sendContent } from '../../src/outbox/send-content.ts'
import { coreOf, deadlineOf, groupOf } from './modified-client.ts'

export type Team = { alice: TestPerson; bob: TestPerson; carol: TestPerson; mallory: TestPerson; chat: ChatId }

let casts = 0

/** A pending greeting would come in between. */
const isGreeting = (person: TestPerson): boolean =>
  coreOf(person).store.get('SELECT 1 FROM mls_group WHERE needs_hello = 2') !== undefined

/** Alice has made the group and is its only admin. */
export async function castTeam(world: World, options: PersonOptions): Promise<Team> {
  const number = ++casts
  const alice = await world.person(`alice ${number}`, options)
  const bob = await world.person(`bob ${number}`, options)
  const carol = await world.person(`carol ${number}`, options)
  const mallory = await world.person(`mallory ${number}`, options)
  const chat = await alice.createGroup('team', [bob, carol, mallory])
  await bob.say(chat, 'before')
  for (const person of [alice, carol, mallory]) await person.hears('before')
  for (const person of [alice, bob, carol, mallory]) await expect.poll(() => isGreeting(person)).toBe(false)
  return { alice, bob, carol, mallory, chat }
}

export const ids = (people: TestPerson[]) => people.map(person => person.id).toSorted()

export const membersFor = (person: TestPerson, chat: ChatId) =>
  person.client.chats
    .get(chat)
    .members.map(member => member.id)
    .toSorted()

export const adminsFor = (person: TestPerson, chat: ChatId) =>
  person.client.chats.get(chat).members.flatMap(member => (member.admin ? [member.id] : []))

type GroupOnes = Extract<GroupSettings, { type: 'group' }>

export const groupSettings = (admins: TestPerson[], more: Partial<GroupOnes> = {}): GroupOnes => ({
  v: 1,
  type: 'group',
  title: 'team',
  admins: ids(admins),
  timerMs: 0,
  generation: 0,
  ...more,
})

const noticesOf = (person: TestPerson, chat: ChatId): Notice[] =>
  person.client.journal
    .read(0, 1000)
    .map(({ json }) => JSON.parse(json) as JournalEvent)
    .flatMap(event => (event.type === 'notice' && event.chat_id === chat ? [event.notice] : []))

export const codesOf = (person: TestPerson, chat: ChatId): string[] => noticesOf(person, chat).map(({ code }) => code)

/** Retried until the chat has healed. */
export async function sayWhenHealed(speaker: TestPerson, chat: ChatId, text: string): Promise<void> {
  const said = () =>
    speaker.say(chat, text).then(
      () => 'said',
      (error: unknown) => String(error),
    )
  await expect.poll(said, { interval: 100 }).toBe('said')
}

let rounds = 0

/** All others receive each member's message. */
export async function expectAllHear(chat: ChatId, people: TestPerson[]): Promise<void> {
  for (const [at, speaker] of people.entries()) {
    const text = `${speaker.name} goes on ${++rounds}`
    await sayWhenHealed(speaker, chat, text)
    for (const other of people.toSpliced(at, 1)) await expect.poll(() => other.texts(chat)).toContain(text)
  }
}

/** Content that our client would not send there. */
export async function sayBody(person: TestPerson, chat: ChatId, body: KnownBody): Promise<void> {
  const core = coreOf(person)
  await sendContent(core, chat, { draft: newDraft(core, body), deadline: deadlineOf(person) })
}

export const epochOf = (person: TestPerson, chat: ChatId): Promise<number> =>
  coreOf(person).groups.run(groupOf(person, chat), async live => Number(live.session.state.groupContext.epoch))

/** A header of a commit in the group's epoch, followed by noise. */
async function unreadableCommit(person: TestPerson, chat: ChatId): Promise<Uint8Array> {
  const payload = coreOf(person).provider.randomBytes(200)
  const view = new DataView(payload.buffer, payload.byteOffset)
  view.setUint16(0, 1)
  view.setUint16(2, 2)
  view.setUint8(4, 16)
  payload.set(groupIdToBytes(groupOf(person, chat)), 5)
  view.setBigUint64(21, BigInt(await epochOf(person, chat)))
  view.setUint8(29, 3)
  return payload
}

type Speech = { body: KnownBody; spoilt?: true }

/** Past every check, with the keys that it has. */
export async function speakIn(person: TestPerson, group: GroupId, { body, spoilt }: Speech): Promise<void> {
  const core = coreOf(person)
  const { send } = newDraft(core, body)
  const payload = await core.groups.run(group, async live => {
    const { session, wire } = await encryptMessage(live.session, encodeContent({ send, profileVersion: 1, body }))
    live.session = session
    return wire
  })
  const last = payload.length - 1
  if (spoilt) payload[last] = (payload[last] ?? 0) ^ 1
  await core.link.call('append', { payload, to: undefined, leave: false }, deadlineOf(person).leftMs())
}

type Told = { add?: TestPerson[]; remove?: TestPerson[]; welcome?: Uint8Array }

/** A commit that nobody can read, with any lists for the relay. */
export async function breakGroup(person: TestPerson, chat: ChatId, told: Told = {}): Promise<void> {
  const payload = await unreadableCommit(person, chat)
  const { add = [], remove = [], welcome } = told
  const request = { payload, add: ids(add), remove: ids(remove), welcome }
  const verdict = await coreOf(person).link.call('commit', request, deadlineOf(person).leftMs())
  expect(verdict.accepted).toBeDefined()
}

type Successor = { settings: GroupSettings; members: TestPerson[] }

/** Carries the chat on without need. */
export async function carryOn(person: TestPerson, chat: ChatId, { settings, members }: Successor): Promise<void> {
  if (settings.type !== 'group') throw new Error('a group is carried on by a group')
  const successor = { settings, members: ids(members) }
  const continues = groupOf(person, chat)
  await openSuccessor(coreOf(person), { chat, continues, successor: () => successor, deadline: deadlineOf(person) })
}
