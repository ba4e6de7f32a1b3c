// Three people who talk in pairs and all together, a guest who comes and goes, and each one's view of the chats.
import type { ChatId, MessageId } from '@postern/protocol'
import { type TestPerson, WITHIN, type World } from '@postern/testkit'
import { expect } from 'vitest'
import { RecordedLog } from './recorded-log.ts'

export type Unsteady = { person: TestPerson; log: RecordedLog }

/** A chat, with the id under which each of its people knows it; `first` is the message that they remark on. */
export type Talk = { name: string; people: Unsteady[]; first: string; idFor: (one: Unsteady) => ChatId }

export type Gathering = { people: Unsteady[]; guest: Unsteady; group: ChatId; talks: Talk[] }

const JOURNAL_MAX = 1_000_000

export async function gather(world: World, alices: { bot?: boolean } = {}): Promise<Gathering> {
  const [alice, bob, carol, guest] = [
    await unsteadyPerson(world, 'alice', alices),
    await unsteadyPerson(world, 'bob'),
    await unsteadyPerson(world, 'carol'),
    await unsteadyPerson(world, 'guest'),
  ]
  const people = [alice, bob, carol]
  const members = [bob.person.id, carol.person.id]
  const group = (await alice.person.client.chats.createGroup({ name: 'all', members }, WITHIN)).id
  const all: Omit<Talk, 'first'> = { name: 'all', people, idFor: () => group }
  const pairs = [bob, carol].map(
    (other): Omit<Talk, 'first'> => ({
      name: `alice and ${other.person.name}`,
      people: [alice, other],
      idFor: one => (one === alice ? other : alice).person.chatId,
    }),
  )
  const talks: Talk[] = []
  for (const talk of [all, ...pairs]) {
    const said = await alice.person.say(talk.idFor(alice), `hello, ${talk.name}`)
    for (const one of talk.people) if (one !== alice) await one.person.hears(`hello, ${talk.name}`)
    talks.push({ ...talk, first: said.id })
  }
  return { people, guest, group, talks }
}

async function unsteadyPerson(world: World, name: string, options: { bot?: boolean } = {}): Promise<Unsteady> {
  const log = new RecordedLog()
  return { person: await world.person(name, { log, ...options }), log }
}

/** The process ends at any moment, and another continues with the data on disk. */
export async function reopen(world: World, one: Unsteady, options: { bot?: boolean } = {}): Promise<void> {
  await world.close(one.person)
  one.person = await world.person(one.person.name, { log: one.log, ...options })
}

/** Each sends it in each chat, and the others have received it: by then everything in doubt is settled. */
export async function lastWords({ people, talks }: Gathering, words: string): Promise<void> {
  for (const { person } of people) person.wire.drop()
  for (const { person } of people) await person.online()
  for (const talk of talks)
    for (const one of talk.people) {
      const text = `${words}, says ${one.person.name}`
      await one.person.say(talk.idFor(one), text)
      for (const other of talk.people) await expect.poll(() => other.person.texts(talk.idFor(other))).toContain(text)
    }
}

export const textsOf = (talk: Talk): Map<string, string[]> =>
  new Map(talk.people.map(one => [one.person.name, one.person.texts(talk.idFor(one))]))

/** The first message as each of them sees it. */
export const picturesOf = (talk: Talk): string[] =>
  talk.people.map(one => {
    const { text, reactions } = one.person.client.messages.get(talk.idFor(one), talk.first as MessageId)
    return JSON.stringify([text, (reactions ?? []).map(({ emoji, from }) => `${from.id} ${emoji}`).sort()])
  })

/** Troubles that must never occur: unreadable messages, repeated messages, a relay that goes back. */
export function troublesOf({ person, log }: Unsteady): string[] {
  const isTrouble = /could not be read|out of order|past epoch|unknown group|entry given up/
  const warned = log.warnings.filter(text => isTrouble.test(text))
  const events = person.client.journal.read(0, JOURNAL_MAX).map(({ json }) => json)
  const notices = events.filter(json => json.includes('"undecryptable"'))
  const heard = events.map(json => JSON.parse(json) as { message?: { id: string }; type: string })
  const ids = heard.flatMap(({ type, message }) => (type === 'message' && message ? [message.id] : []))
  const repeats = ids.filter((id, at) => ids.indexOf(id) !== at)
  return [...warned, ...notices, ...repeats].map(trouble => `${person.name}: ${trouble}`)
}
