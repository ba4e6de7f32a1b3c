// Members that miss what happens to a group and carry it on as they know it.

import type { RelayFrame } from '@postern/protocol/relay'
import { HostileRelay, type TestPerson } from '@postern/testkit'
import { expect } from 'vitest'
import { findChat } from '../../src/chats/records/chats.ts'
import { endedOf } from '../../src/chats/records/known-chat.ts'
import { findGroup } from '../../src/groups/group-records.ts'
import { successorOf } from '../../src/judge/successor.ts'
import { test as base } from './fixtures.ts'
import { coreOf, groupOf } from './modified-client.ts'
import { carryOn, ids, membersFor } from './team.ts'

export const test = base
  /** The group that the person would make now, with these people, and how far it says that it has read. */
  .extend(
    'carryOnWith',
    ({ chat }) =>
      async (person: TestPerson, members: TestPerson[], generation?: number): Promise<void> => {
        const { store } = coreOf(person)
        const row = findChat(store, chat)
        const ended = row && endedOf(store, row)
        if (!ended) throw new Error(`${person.name} has no such group`)
        const { settings } = successorOf(ended)
        await carryOn(person, chat, {
          settings: { ...settings, generation: generation ?? settings.generation },
          members,
        })
      },
  )
  /** The person reads nothing more of a mailbox until the returned function is called; its calls are answered. */
  .extend('readNothing', () => (person: TestPerson): (() => void) => {
    const relay = new HostileRelay(person.wire)
    const held: RelayFrame[] = relay.holdBack(frame => frame.kind === 'deliver')
    return () => {
      relay.repent()
      for (const frame of held) relay.say(frame)
    }
  })
  .extend('expectSettled', ({ chat }) => async (people: TestPerson[], members: TestPerson[]): Promise<void> => {
    const viewOf = (person: TestPerson) => {
      const group = findGroup(coreOf(person).store, groupOf(person, chat))
      return `${group?.id} ${group?.epoch} ${group?.status} ${membersFor(person, chat).join()}`
    }
    for (const person of people) await expect.poll(() => membersFor(person, chat)).toEqual(ids(members))
    await expect.poll(() => new Set(people.map(viewOf)).size).toBe(1)
  })
