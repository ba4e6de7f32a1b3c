// Pictures of groups from members with modified or older clients, and in groups that are carried on.
import { type ChatId, pictureUrl, utf8 } from '@postern/protocol'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { blackPng, pngThatClaims } from '@postern/testkit/pictures'
import { describe, expect } from 'vitest'
import { agreedSettings } from '../../src/chats/keys/agreed-settings.ts'
import { test } from './fixtures.ts'
import { commitAs, commitBytes, coreOf, groupOf } from './modified-client.ts'
import { codesOf, expectAllHear, groupSettings } from './team.ts'

const [one, two] = [blackPng(1, 1), blackPng(2, 2)]

const pictureFor = (person: TestPerson, chat: ChatId): string | undefined =>
  person.client.chats.groupPictures().find(group => group.chat === chat)?.picture

describe('[CORE-14.46] a picture', () => {
  test('of too many pixels is ignored, and the group goes on with the one before', async ({
    alice,
    bob,
    carol,
    mallory,
    chat,
  }) => {
    await alice.client.chats.setGroupPicture(chat, one, WITHIN)
    for (const person of [bob, carol, mallory]) await expect.poll(() => pictureFor(person, chat)).toBe(pictureUrl(one))
    const settings = { ...groupSettings([alice]), title: 'look', picture: pictureUrl(pngThatClaims(1025, 1)) }
    await commitBytes(mallory, chat, utf8(JSON.stringify(settings)))
    for (const person of [alice, bob, carol]) {
      await person.next('notice', event => event.notice.code === 'renamed')
      expect(pictureFor(person, chat)).toBe(pictureUrl(one))
    }
    await expectAllHear(chat, [alice, bob, carol])
    expect(codesOf(alice, chat)).not.toContain('refused')
  })

  test('that an older client leaves out stays, comes back with the next change, and can be removed', async ({
    world,
    clock,
    alice,
    bob,
    carol,
    mallory,
    chat,
  }) => {
    await alice.client.chats.setGroupPicture(chat, one, WITHIN)
    for (const person of [bob, carol, mallory]) await expect.poll(() => pictureFor(person, chat)).toBe(pictureUrl(one))
    const olderRenames = (title: string) =>
      commitAs(mallory, chat, () => ({ settings: { ...groupSettings([alice]), title } }))
    await olderRenames('older')
    for (const person of [alice, bob, carol]) {
      await person.next('notice', event => event.notice.code === 'renamed')
      expect(pictureFor(person, chat)).toBe(pictureUrl(one))
    }
    const dave = await world.person(`dave ${mallory.name}`, { clock })
    await bob.client.chats.addMembers(chat, [dave.id], WITHIN)
    await dave.next('chat', event => event.chat_id === chat)
    expect(pictureFor(dave, chat)).toBe(pictureUrl(one))
    await olderRenames('oldest')
    await expect.poll(() => bob.client.chats.get(chat).name).toBe('oldest')
    await bob.client.chats.setGroupPicture(chat, null, WITHIN)
    for (const person of [alice, carol, dave]) await expect.poll(() => pictureFor(person, chat)).toBeUndefined()
  })
})

test('[CORE-2.16] a group that is carried on keeps its picture, for its members and for newcomers', async ({
  world,
  clock,
  alice,
  bob,
  carol,
  mallory,
  chat,
}) => {
  await bob.client.chats.setGroupPicture(chat, two, WITHIN)
  for (const person of [alice, carol, mallory]) await expect.poll(() => pictureFor(person, chat)).toBe(pictureUrl(two))
  const before = groupOf(alice, chat)
  await commitAs(mallory, chat, () => ({ remove: [carol.id] }))
  await expectAllHear(chat, [alice, bob, carol])
  expect(groupOf(alice, chat)).not.toBe(before)
  const agreed = await coreOf(alice).groups.run(groupOf(alice, chat), async live => agreedSettings(live.session))
  expect(agreed).toMatchObject({ picture: pictureUrl(two) })
  for (const person of [alice, bob, carol]) {
    expect(pictureFor(person, chat)).toBe(pictureUrl(two))
    expect(codesOf(person, chat).filter(code => code === 'picture').length).toBeLessThan(2)
  }
  const dave = await world.person(`dave ${mallory.name}`, { clock })
  await carol.client.chats.addMembers(chat, [dave.id], WITHIN)
  await dave.next('chat', event => event.chat_id === chat)
  expect(pictureFor(dave, chat)).toBe(pictureUrl(two))
})
