// Albums, and members with modified clients who put into them what they like.
import type { Message } from '@postern/bot-api/objects'
import { type ChatId, contentLimits, toBase64Url } from '@postern/protocol'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { describe, expect } from 'vitest'
import { sayWords } from './hostile/modified-client.ts'

const ALBUM = '6f1c2f0e5a574d0f9c0e1d'
const key = toBase64Url(new Uint8Array(32))

/** As a modified client writes it: nothing is uploaded. */
const says = (person: TestPerson, chat: ChatId, fields: object) =>
  sayWords(person, chat, {
    body: {
      kind: 'file',
      blob: 'a'.repeat(26),
      key,
      digest: key,
      size: 1,
      name: 'x',
      type: 'image/png',
      shownAs: 'photo',
      album: ALBUM,
      ...fields,
    },
  })

const albumsIn = (messages: Message[]) => messages.filter(({ file }) => file).map(({ album }) => album)

const test = base
  .extend('group', async ({ alice, bob, mallory }) => {
    const { id } = await alice.client.chats.createGroup({ name: 'photos', members: [bob.id, mallory.id] }, WITHIN)
    const chat = id
    for (const one of [bob, mallory]) await one.next('chat', update => update.chat_id === chat)
    return chat
  })
  /** All files that Bob has from the group, once Mallory's last words are there. */
  .extend('seenByBob', ({ bob, mallory, group }) => async () => {
    await mallory.client.messages.sendText(group, { text: 'that is all' }, WITHIN)
    await bob.hears('that is all')
    return bob.client.messages.list(group, { limit: 100 })
  })

describe('a modified client', () => {
  test('[CORE-7.11] that sends many files with one id has an album of ten, and the rest are files', async ({
    bob,
    mallory,
    group,
    seenByBob,
  }) => {
    const { albumFilesMax } = contentLimits
    const count = 4 * albumFilesMax
    for (let at = 0; at < count; at++) await says(mallory, group, { name: `${at}` })
    const albums = albumsIn(await seenByBob())
    expect(albums).toHaveLength(count)
    expect(albums.slice(0, albumFilesMax)).toEqual(Array.from({ length: albumFilesMax }, () => expect.any(String)))
    expect(albums.slice(albumFilesMax)).toEqual(Array.from({ length: count - albumFilesMax }, () => undefined))
    // Screens group by their own hint, which is bounded with it.
    const hints = bob.client.messages
      .media(group, { kinds: ['photo'], limit: 100 })
      .filter(({ file }) => file && 'album' in file)
    expect(hints).toHaveLength(albumFilesMax)
  })

  test('[CORE-7.11] that uses the id of another member adds nothing to that album, and takes no place in it', async ({
    alice,
    mallory,
    group,
    seenByBob,
  }) => {
    await says(alice, group, { name: 'a' })
    for (let at = 0; at < contentLimits.albumFilesMax; at++) await says(mallory, group, { name: `${at}` })
    await says(alice, group, { name: 'b' })
    const files = (await seenByBob()).filter(({ file }) => file)
    const ofAlice = new Set(albumsIn(files.filter(({ from }) => from.id === alice.id)))
    expect([...ofAlice]).toEqual([expect.any(String)])
    for (const { album } of files.filter(({ from }) => from.id === mallory.id)) expect(ofAlice).not.toContain(album)
  })

  test('[CORE-7.11] that uses one id in two chats takes no place in the other', async ({
    bob,
    mallory,
    group,
    seenByBob,
  }) => {
    await mallory.say(bob, 'hello')
    await bob.hears('hello')
    for (let at = 0; at < contentLimits.albumFilesMax; at++) await says(mallory, bob.chatId, { name: `${at}` })
    await says(mallory, group, { name: 'in the group' })
    expect(albumsIn(await seenByBob())).toEqual([expect.any(String)])
  })

  test.for([7, { id: ALBUM }, '', 'x'.repeat(100), "' OR 1=1 --"] as const)(
    '[CORE-7.11] that writes %o as the id of an album sends a file without one',
    async (album, { mallory, group, seenByBob }) => {
      await says(mallory, group, { album })
      expect(albumsIn(await seenByBob())).toEqual([undefined])
    },
  )
})

test('[CORE-7.12] no message of an album is sent before all its bytes are at the relay', async ({ alice, bob }) => {
  await alice.say(bob, 'hello')
  await bob.hears('hello')
  const files = await Promise.all(
    ['a', 'b'].map(async name => {
      const draft = await alice.client.files.draft(new Blob([name]).stream())
      return { draft, name, type: 'text/plain', kind: 'file' as const }
    }),
  )
  const [whole, broken] = files
  if (!whole || !broken) throw new Error('two files')
  const failing = { ...broken, draft: { ...broken.draft, uploaded: () => Promise.reject(new Error('no relay')) } }
  await expect(alice.client.files.sendAlbum(bob.chatId, [whole, failing], WITHIN)).rejects.toThrow('no relay')
  await alice.say(bob, 'that is all')
  await bob.hears('that is all')
  expect(bob.client.messages.list(alice.id as string as ChatId, { limit: 9 }).some(({ file }) => file)).toBe(false)
  const [first, second] = await alice.client.files.sendAlbum(bob.chatId, files, WITHIN)
  expect(first?.album).toBe(second?.album)
  for (const { draft } of files) await draft.discard()
})

test('[CORE-7.12] an album of more than ten files is refused', async ({ alice, bob }) => {
  await alice.say(bob, 'hello')
  const draft = await alice.client.files.draft(new Blob(['x']).stream())
  const files = Array.from({ length: contentLimits.albumFilesMax + 1 }, () => ({
    draft,
    name: 'x',
    type: 'text/plain',
    kind: 'file' as const,
  }))
  await expect(alice.client.files.sendAlbum(bob.chatId, files, WITHIN)).rejects.toMatchObject({ code: 'bad-field' })
  await draft.discard()
})
