// The gallery of a chat: its pages as spans of time, and the view that reads them.
import type { ChatId } from '@postern/protocol'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { firstSpans, GALLERY_PAGE, spansAfter } from '../src/gallery/gallery-spans.ts'
import { test } from './app-fixtures.ts'
import { meet } from './app-world.ts'

async function sendFile(person: TestPerson, chat: ChatId, kind: 'photo' | 'file' | 'voice'): Promise<string> {
  const draft = await person.client.files.draft(new Blob(['bytes']).stream())
  try {
    const said = { draft, name: `${kind}.bin`, type: 'application/octet-stream', kind }
    return (await person.client.files.send(chat, said, WITHIN)).id
  } finally {
    await draft.discard()
  }
}

describe('pages of a gallery', () => {
  const times = (from: number, count: number) => Array.from({ length: count }, (_, at) => from - at)

  test('[APP-12.17] a full page ends with its oldest message, and the next one begins before it', () => {
    const spans = spansAfter(firstSpans, times(1000, GALLERY_PAGE))
    const end = 1000 - GALLERY_PAGE + 1
    expect(spans).toEqual([{ from: end }, { before: end }])
    const more = spansAfter(spans, times(end - 1, GALLERY_PAGE))
    expect(more).toEqual([{ from: end }, { before: end, from: end - GALLERY_PAGE }, { before: end - GALLERY_PAGE }])
  })

  test('[APP-12.17] a page that is not full is the last', () => {
    expect(spansAfter(firstSpans, times(1000, GALLERY_PAGE - 1))).toEqual(firstSpans)
    expect(spansAfter(firstSpans, [])).toEqual(firstSpans)
  })
})

describe('the view', () => {
  test('[APP-12.17] has the messages of each kind, and changes with them', async ({ app, page, bob }) => {
    const chat = await meet(page, bob)
    const own = app.account.client.account as string as ChatId
    await page.call('send', { chat, text: 'see https://ferry.example' })
    await bob.hears('see https://ferry.example')
    const seen = page.watch('media', chat, 'seen', {}, 10)
    const files = page.watch('media', chat, 'files', {}, 10)
    const voices = page.watch('media', chat, 'voices', {}, 10)
    const links = page.watch('media', chat, 'links', {}, 10)
    const photo = await sendFile(bob, own, 'photo')
    const file = await sendFile(bob, own, 'file')
    const voice = await sendFile(bob, own, 'voice')
    await expect.poll(() => voices.value.map(({ id }) => id)).toEqual([voice])
    expect(seen.value.map(({ id }) => id)).toEqual([photo])
    expect(files.value.map(({ id }) => id)).toEqual([file])
    expect(links.value.map(({ text }) => text)).toEqual(['see https://ferry.example'])
    await bob.client.messages.delete(own, { message: photo as never, for: 'all' }, WITHIN)
    await expect.poll(() => seen.value).toEqual([])
  })

  test('[APP-12.20] has nothing of a request, of a chat that is not here and for arguments of another build', async ({
    app,
    page,
    bob,
  }) => {
    await sendFile(bob, app.account.client.account as string as ChatId, 'photo')
    const chats = page.watch('chats')
    await expect.poll(() => chats.value.map(({ state }) => state)).toEqual(['request'])
    const seen = page.watch('media', bob.chatId, 'seen', {}, 10)
    const unknown = page.watch('media', 'abcdefghijklmnopqrstuvwxyz234567', 'seen', {}, 10)
    await expect.poll(() => [seen.value, unknown.value]).toEqual([[], []])
    page.watchAny('media', [bob.chatId, 'all', {}, 10])
    page.watchAny('media', [bob.chatId, 'seen', {}, -1])
    page.watchAny('media', [bob.chatId, 'seen', { before: 'now' }, 10])
    await page.call('accept', { chat: bob.chatId })
    await expect.poll(() => seen.value.map(({ file }) => file?.kind)).toEqual(['photo'])
  })
})
