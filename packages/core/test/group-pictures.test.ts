// Pictures of groups: everybody sees the same one, whenever and however they came.
import { accountIdFromHash, type ChatId, contentLimits, isCoded, mlsLimits, pictureUrl, utf8 } from '@postern/protocol'
import { decodeGroupSettings, encodeGroupSettings } from '@postern/protocol/content'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { test } from '@postern/testkit/fixtures'
import { blackPng, pngThatClaims } from '@postern/testkit/pictures'
import { describe, expect, test as plain } from 'vitest'
import { groupSettings } from './hostile/team.ts'

const [one, two] = [blackPng(1, 1), blackPng(2, 2)]

const pictureFor = (person: TestPerson, chat: ChatId): string | undefined =>
  person.client.chats.groupPictures().find(group => group.chat === chat)?.picture

const set = (person: TestPerson, chat: ChatId, picture: Uint8Array | null) =>
  person.client.chats.setGroupPicture(chat, picture, WITHIN)

const pictureNotice = async (person: TestPerson) =>
  (await person.next('notice', event => event.notice.code === 'picture')).notice

describe('[CORE-2.15] the picture of a group', () => {
  test('is set and removed by any member, and all are told by whom', async ({ alice, bob, carol }) => {
    const chat = await alice.createGroup('team', [bob, carol])
    await set(bob, chat, one)
    expect(pictureFor(bob, chat)).toBe(pictureUrl(one))
    for (const person of [alice, carol]) {
      expect(await pictureNotice(person)).toMatchObject({ from: { id: bob.id }, removed: false })
      expect(pictureFor(person, chat)).toBe(pictureUrl(one))
    }
    await carol.client.chats.renameGroup(chat, 'crew', WITHIN)
    await alice.next('notice', event => event.notice.code === 'renamed')
    expect(pictureFor(alice, chat)).toBe(pictureUrl(one))
    await set(alice, chat, null)
    for (const person of [bob, carol]) await expect.poll(() => pictureFor(person, chat)).toBeUndefined()
    expect(await pictureNotice(carol)).toMatchObject({ from: { id: alice.id }, removed: true })
    const { rows } = bob.client.messages.history(chat, { limit: 10 })
    const codes = rows.flatMap(row => ('notice' in row ? row.notice.code : []))
    expect(codes.filter(code => code === 'picture')).toHaveLength(2)
  })

  test('is refused from its own member when it is no small picture', async ({ alice, bob }) => {
    const chat = await alice.createGroup('team', [bob])
    const large = Buffer.concat([one, Buffer.alloc(contentLimits.groupPictureBytesMax)])
    for (const picture of [large, pngThatClaims(1025, 1), Buffer.from('GIF89a'), Buffer.alloc(0)])
      await expect(set(alice, chat, picture)).rejects.toSatisfy(error => isCoded(error, 'bad-field'))
    await expect(set(alice, bob.chatId, one)).rejects.toSatisfy(error => isCoded(error, 'chat-not-found'))
    await alice.say(bob, 'hi')
    await expect(set(alice, bob.chatId, one)).rejects.toSatisfy(error => isCoded(error, 'not-a-group'))
  })

  plain('fits beside a thousand admins into the settings that MLS allows', () => {
    const admins = Array.from({ length: contentLimits.groupMembersMax }, (_, at) =>
      accountIdFromHash(new Uint8Array(32).fill(at % 256).fill(at >> 8, 0, 1)),
    )
    const picture = pictureUrl(Buffer.concat([one, Buffer.alloc(contentLimits.groupPictureBytesMax - one.length)]))
    const title = '\u{1f6a2}'.repeat(contentLimits.groupNameCharsMax)
    const bytes = encodeGroupSettings({ ...groupSettings([]), admins, title, picture })
    expect(bytes.length).toBeLessThan(mlsLimits.extensionBytesMax)
    expect(decodeGroupSettings(bytes)).toMatchObject({ picture })
  })
})

const badPictures: Record<string, unknown> = {
  'of more than 1,024 pixels': pictureUrl(pngThatClaims(1025, 1)),
  'of too many bytes': pictureUrl(Buffer.concat([one, Buffer.alloc(contentLimits.groupPictureBytesMax)])),
  'under the name of another format': pictureUrl(one).replace('png', 'webp'),
  'at an address': 'https://example.org/who-looks.png',
  'as SVG': `data:image/svg+xml;base64,${Buffer.from('<svg/>').toString('base64')}`,
  'that is no text': { url: pictureUrl(one) },
}

plain.for(Object.entries(badPictures))('[CORE-14.46] a picture %s is as if it were absent', ([, picture]) => {
  const bytes = utf8(JSON.stringify({ ...groupSettings([]), picture }))
  expect(decodeGroupSettings(bytes)).toMatchObject({ title: 'team' })
  expect(decodeGroupSettings(bytes)).toHaveProperty('picture', undefined)
})

describe('[CORE-2.16] the picture of a group is there', () => {
  test('for a newcomer once the request is accepted, and for somebody who was added again', async ({
    world,
    alice,
    bob,
  }) => {
    const carol = await world.person('carol', { acceptRequests: 'ask' })
    const chat = await alice.createGroup('team', [bob])
    await set(alice, chat, one)
    await bob.client.chats.addMembers(chat, [carol.id], WITHIN)
    const { chat: seen } = await carol.next('chat', event => event.chat_id === chat)
    expect([seen.state, pictureFor(carol, chat)]).toEqual(['request', undefined])
    await carol.client.chats.accept(chat)
    expect(pictureFor(carol, chat)).toBe(pictureUrl(one))
    await alice.client.chats.removeMembers(chat, [carol.id], WITHIN)
    await carol.next('notice', event => event.notice.code === 'removed')
    await set(alice, chat, two)
    expect(pictureFor(carol, chat)).toBe(pictureUrl(one))
    await bob.client.chats.addMembers(chat, [carol.id], WITHIN)
    await expect.poll(() => carol.client.chats.get(chat).state).toBe('request')
    expect(pictureFor(carol, chat)).toBeUndefined()
    await carol.client.chats.accept(chat)
    expect(pictureFor(carol, chat)).toBe(pictureUrl(two))
  })

  test('after a restart and a restore from a backup', async ({ world, alice, bob }) => {
    const chat = await alice.createGroup('team', [bob])
    await set(alice, chat, one)
    await expect.poll(() => pictureFor(bob, chat)).toBe(pictureUrl(one))
    bob = await world.backUp(bob)
    expect(pictureFor(bob, chat)).toBe(pictureUrl(one))
    await set(alice, chat, two)
    await expect.poll(() => pictureFor(bob, chat)).toBe(pictureUrl(two))
    bob = await world.restore(bob)
    await expect.poll(() => pictureFor(bob, chat)).toBe(pictureUrl(two))
  })

  test('no longer for somebody who has deleted the group', async ({ alice, bob }) => {
    const chat = await alice.createGroup('team', [bob])
    await set(alice, chat, one)
    await expect.poll(() => pictureFor(bob, chat)).toBe(pictureUrl(one))
    await bob.client.chats.delete(chat)
    expect(bob.client['core'].store.all('SELECT 1 FROM chat_picture')).toEqual([])
  })
})
