// A member whose client writes what ours refuses:
// text that hides, turns round or breaks out of its line reaches nobody.
import type { Message } from '@postern/bot-api/objects'
import { isCoded, toBase64Url } from '@postern/protocol'
import { WITHIN } from '@postern/testkit'
import { testInOneWorld as base } from '@postern/testkit/fixtures'
import { blackPng } from '@postern/testkit/pictures'
import { describe, expect, vi } from 'vitest'
import type { KnownProfile } from '../../src/index.ts'
import { commitAs, coreOf, openTitled, publishProfile, sayWords } from './modified-client.ts'
import { groupSettings } from './team.ts'

let marks = 0

const user = 'a'.repeat(32)
const at = (offset: number, length: number) => ({ user, offset, length })
const text = '👍 bob, 👍 carol'

const test = base
  .extend('bob', { scope: 'file' }, ({ world }) => world.person('bob'))
  .extend('mallory', { scope: 'file' }, ({ world }) => world.person('mallory', { bot: true }))
  .extend(
    'chat',
    { scope: 'file' },
    async ({ bob, mallory }) =>
      (await mallory.client.chats.createGroup({ name: 'team', members: [bob.id] }, WITHIN)).id,
  )
  /** The message that bob received, which is the same when he reads it again. */
  .extend('heard', ({ bob, mallory, chat }) => async (body: object): Promise<Message> => {
    await sayWords(mallory, chat, { body })
    const { message } = await bob.next('message', event => event.chat_id === chat)
    expect(bob.client.messages.get(chat, message.id)).toEqual(message)
    return message
  })
  .extend('settled', ({ bob, mallory, chat }) => async (): Promise<void> => {
    const mark = `mark ${++marks}`
    await mallory.say(chat, mark)
    await bob.hears(mark)
  })
  .extend(
    'profileKey',
    ({ mallory }) =>
      () =>
        toBase64Url(coreOf(mallory).own.profileKey),
  )
  .extend(
    'titled',
    ({ mallory, chat }) =>
      (title: string) =>
        commitAs(mallory, chat, () => ({ settings: groupSettings([mallory], { title }) })),
  )

test.beforeAll(async ({ bob, mallory, chat }) => {
  await mallory.say(chat, 'welcome')
  await bob.hears('welcome')
  // Her profile comes after her first message: a message viewed before and after it would differ.
  const isKnownAsBot = () => bob.client.chats.get(chat).members.find(({ id }) => id === mallory.id)?.bot
  await vi.waitUntil(isKnownAsBot, { timeout: WITHIN.timeoutMs, interval: 10 })
})

describe('[CORE-18.1] mentions that no client of ours would send', () => {
  test.for([
    ['inside of a character', [at(1, 2), at(3, 3)], [at(3, 3)]],
    ['that end inside of one', [at(0, 1), at(3, 6), at(3, 3)], [at(3, 3)]],
    ['that overlap', [at(3, 3), at(4, 3), at(8, 2)], [at(3, 3), at(8, 2)]],
    ['out of order', [at(8, 2), at(3, 3)], [at(8, 2)]],
    ['beyond the end', [at(3, 3), at(11, 6), at(2 ** 40, 1)], [at(3, 3)]],
  ] as const)('%s are dropped, and the others stay', async ([, mentions, kept], { heard }) => {
    expect((await heard({ kind: 'text', text, mentions })).mentions).toEqual(kept)
  })

  test('leave no list when none of them fits, also in an edit', async ({ bob, mallory, heard, chat }) => {
    const { id, mentions } = await heard({ kind: 'text', text, mentions: [at(1, 1)] })
    expect(mentions).toBeUndefined()
    await sayWords(mallory, chat, {
      body: { kind: 'edit', target: id, text: 'a 👍', mentions: [at(0, 1), at(2, 1), at(0, 1)] },
    })
    const { message } = await bob.next('edited', event => event.message.id === id)
    expect(message).toMatchObject({ text: 'a 👍', mentions: [at(0, 1)] })
  })
})

const bold = (offset: unknown, length: unknown) => ({ type: 'bold', offset, length })
const link = (offset: number, url: unknown) => ({ type: 'link', offset, length: 3, url })

describe('[CORE-18.11] entities that no client of ours would send', () => {
  test.for([
    ['are no list', { length: 3 }],
    ['are a text', 'bold'],
    ['are null', null],
    ['are no objects', [null, 5, 'x', [], [[]]]],
    [
      'have an unknown type',
      [
        { type: 'html', offset: 0, length: 2 },
        { type: '__proto__', offset: 0, length: 2 },
      ],
    ],
    [
      'have no whole numbers',
      [bold(-1, 2), bold(0.5, 2), bold(null, 2), bold('0', 2), bold(0, 0), bold(0, Number.MAX_VALUE)],
    ],
    ['reach beyond the end', [bold(0, 99), bold(2 ** 53 - 1, 2 ** 53 - 1), bold(17, 1)]],
    ['split a character', [bold(1, 2), bold(0, 1)]],
    [
      'lead nowhere',
      [
        link(3, undefined),
        link(3, 'javascript:alert(1)'),
        link(3, 'https://bob@evil.example'),
        link(3, 'data:text/html,x'),
      ],
    ],
    ['are links that nobody sees', [{ type: 'link', offset: 2, length: 1, url: 'https://evil.example' }]],
    ['are links with a huge address', [link(3, `https://evil.example/${'x'.repeat(3000)}`)]],
  ] as const)('and that %s are left out, and the text stays', async ([, entities], { heard }) => {
    const message = await heard({ kind: 'text', text, entities })
    expect(message.text).toBe(text)
    expect(message).not.toHaveProperty('entities')
  })

  test('and that cross or repeat each other leave the first one', async ({ heard }) => {
    const code = { type: 'code', offset: 8, length: 2 }
    const entities = [bold(3, 3), { type: 'italic', offset: 4, length: 4 }, bold(3, 2), code, bold(8, 1)]
    expect((await heard({ kind: 'text', text, entities })).entities).toEqual([bold(3, 3), code])
  })

  test('are at most two hundred, and nested eight deep', async ({ heard }) => {
    const words = 'x'.repeat(1000)
    const many = Array.from({ length: 1000 }, (_, offset) => bold(offset, 1))
    expect((await heard({ kind: 'text', text: words, entities: many })).entities).toEqual(many.slice(0, 200))
    const types = ['bold', 'italic', 'strike', 'spoiler', 'quote', 'link', 'code', 'pre', 'bold']
    const url = 'https://example.org'
    const deep = Array.from({ length: 900 }, (_, at) => ({ type: types[at % 9], offset: at, length: 1000 - at, url }))
    expect((await heard({ kind: 'text', text: words, entities: deep })).entities?.length).toBeLessThanOrEqual(8)
  })

  test('of an edit are judged by its text, and an edit of a caption, too', async ({ bob, mallory, heard, chat }) => {
    const { id } = await heard({ kind: 'text', text, entities: [bold(3, 3)] })
    const entities = [bold(0, 2), bold(1, 1), 'x', bold(0, 99), { type: 'italic', offset: 0, length: 2 }]
    await sayWords(mallory, chat, { body: { kind: 'edit', target: id, text: '👍', entities } })
    const { message } = await bob.next('edited', event => event.message.id === id)
    expect(message).toMatchObject({ text: '👍', entities: [bold(0, 2), { type: 'italic', offset: 0, length: 2 }] })
  })
})

describe('[CORE-18.2] a name that no client of ours would set', () => {
  test.for([
    ['with line breaks', 'bob\r\nadmin: yes', 'bob admin: yes'],
    ['with other line ends', 'bob\u2028bob\u0085bob\u000bbob', 'bob bob bob bob'],
    ['with control characters', 'b\u0000o\u001b[31mb\u009b', 'bo[31mb'],
    ['that turns the writing round', '\u202egnp.exe\u202c \u2066x\u2069', 'gnp.exe x'],
    ['with half of a surrogate pair', 'bo\ud800b', 'bo\ufffdb'],
  ] as const)(
    '%s is cleaned when it comes with a greeting',
    async ([, name, shown], { bob, mallory, chat, profileKey }) => {
      await sayWords(mallory, chat, { body: { kind: 'text', text: name }, hello: { name, profileKey: profileKey() } })
      const { message } = await bob.next('message', event => event.chat_id === chat)
      expect(message.from.name).toBe(shown)
      expect(bob.client.chats.get(chat).members.map(member => member.name)).toContain(shown)
    },
  )

  test.for([
    ['nothing', ''],
    ['white space', ' \u00a0\u3000'],
    ['signs that nobody sees', '\u200b\u200d\u2060\u3164\u00ad\u{e0041}\u2800'],
    ['line ends', '\n\u2028'],
  ] as const)('of %s is as good as none', async ([, name], { bob, mallory, chat, profileKey }) => {
    await sayWords(mallory, chat, { body: { kind: 'text', text: 'who?' }, hello: { name, profileKey: profileKey() } })
    const { message } = await bob.next('message', event => event.chat_id === chat)
    expect(message.from.name).toBe(mallory.id.slice(0, 8))
  })

  test('is cleaned when it comes with a profile, with what else stands there in one line', async ({ bob, mallory }) => {
    const profile = {
      name: 'mal\nlory\u202e',
      about: 'one\ntwo\ud800',
      bot: true,
      commands: [{ name: 'start', description: 'go\n/stop\u202e', args: 'a\tb\u2029' }],
    }
    await publishProfile(mallory, profile)
    await expect
      .poll(() => bob.client.identity.learnProfile(mallory.id, WITHIN))
      .toMatchObject({
        name: 'mal lory',
        about: 'one\ntwo\ufffd',
        commands: [{ name: 'start', description: 'go /stop', args: 'a b' }],
      })
  })
})

describe('[CORE-18.3] a title that no client of ours would set', () => {
  test('is cleaned in the chat and in the notice, and ends no group', async ({ bob, titled, chat, settled }) => {
    await titled('te\u202eam\nadmins only\u0007')
    const { notice } = await bob.next('notice', event => event.notice.code === 'renamed')
    expect(notice).toMatchObject({ text: 'team admins only' })
    expect(bob.client.chats.get(chat).name).toBe('team admins only')
    await settled()
  })

  test('of which nothing is seen is the beginning of the id of the chat', async ({ bob, titled, chat, settled }) => {
    await titled('\u2067\u200b')
    await bob.next('notice', event => event.notice.code === 'renamed')
    expect(bob.client.chats.get(chat).name).toBe(chat.slice(0, 8))
    await settled()
  })

  test('is cleaned when it comes with a welcome', async ({ bob, mallory }) => {
    const id = await openTitled(mallory, 'a\u2028b\u202e', [bob.id])
    await mallory.say(id, 'hello')
    const shown = await bob.next('chat', event => event.chat_id === id)
    expect(shown.chat.name).toBe('a b')
    expect((await bob.next('notice', event => event.chat_id === id)).notice).toMatchObject({ text: 'a b' })
  })
})

describe('[CORE-18.4] one line stays one line', () => {
  test('on buttons; one whose address hides something is not there', async ({ bob, mallory, heard, chat }) => {
    const buttons = [
      [
        { text: 'Yes\nNo\u202e', data: 'yes' },
        { text: '\u200b', data: 'no' },
      ],
      [
        { text: 'x', url: 'https://good.example/\u202emoc.live//:sptth' },
        { text: 'y', url: 'https://good.example/ x' },
      ],
      [
        { text: 'w', url: 'https://good.example@evil.example/' },
        { text: 'z', url: 'https://good.example/ä' },
      ],
    ]
    const shown = [
      [
        { text: 'Yes No', data: 'yes' },
        { text: '…', data: 'no' },
      ],
      [{ text: 'z', url: 'https://good.example/ä' }],
    ]
    const { id, buttons: heardOf } = await heard({ kind: 'text', text: 'x', buttons })
    expect(heardOf).toEqual(shown)
    await sayWords(mallory, chat, { body: { kind: 'edit', target: id, buttons: [[{ text: 'a\tb', data: 'a' }]] } })
    const { message } = await bob.next('edited', event => event.message.id === id)
    expect(message.buttons).toEqual([[{ text: 'a b', data: 'a' }]])
  })

  test('among the options of a poll, whose places stay', async ({ heard }) => {
    const { poll } = await heard({
      kind: 'poll',
      question: 'one\ntwo',
      options: ['yes\n✓ no', '\u2060', 'la\u202est'],
      multiple: false,
    })
    expect(poll?.question).toBe('one\ntwo')
    expect(poll?.options.map(option => option.text)).toEqual(['yes ✓ no', '…', 'last'])
  })

  test('among the buttons and the mentions of a poll', async ({ heard }) => {
    const { buttons, mentions } = await heard({
      kind: 'poll',
      question: text,
      options: ['yes', 'no'],
      multiple: false,
      mentions: [at(1, 2), at(3, 3), at(2 ** 40, 1)],
      buttons: [[{ text: 'a\nb', data: 'a' }], [{ text: 'x', url: 'https://a b' }]],
    })
    expect(mentions).toEqual([at(3, 3)])
    expect(buttons).toEqual([[{ text: 'a b', data: 'a' }]])
  })

  test('in the name of a file of which nothing would be seen', async ({ heard }) => {
    const body = {
      kind: 'file',
      blob: 'a'.repeat(26),
      key: 'a'.repeat(43),
      digest: 'a'.repeat(43),
      size: 1,
      name: '\u200d\u2060',
      type: 'text/plain',
      shownAs: 'file',
    }
    expect((await heard(body)).file?.name).toBe('file')
  })
})

test('[CORE-18.5] half of a surrogate pair is replaced wherever it stands: nobody could write it as UTF-8', async ({
  heard,
}) => {
  const message = await heard({ kind: 'text', text: 'a\ud800b', buttons: [[{ text: 'x', data: '\udc00' }]] })
  expect(message).toMatchObject({ text: 'a\ufffdb', buttons: [[{ text: 'x', data: '\ufffd' }]] })
  expect(JSON.stringify(message).isWellFormed() && !JSON.stringify(message).includes('\\ud')).toBe(true)
})

describe('[CORE-18.10] a picture that takes all memory when it is decoded', () => {
  const urlOf = (type: string, bytes: Buffer): string => `data:image/${type};base64,${bytes.toString('base64')}`

  test('is no avatar of a profile, whose words stay', async ({ bob, mallory }) => {
    const told = (name: string, avatar: string) =>
      publishProfile(mallory, { name, about: '', bot: true, commands: [], avatar })
    const known = () => bob.client.identity.learnProfile(mallory.id, WITHIN)
    const small = urlOf('png', blackPng(320, 320))
    await told('small', small)
    await expect.poll(known).toMatchObject({ name: 'small', avatar: small })
    await told('large', urlOf('png', blackPng(20_000, 20_000)))
    // The name alone may arrive earlier, with the announcement of the profile.
    await expect.poll(known).toSatisfy(({ name, avatar }: KnownProfile) => name === 'large' && avatar === undefined)
  })

  test('is no preview of a photo, which stays', async ({ heard }) => {
    const nowhere = { blob: 'a'.repeat(26), key: 'a'.repeat(43), digest: 'a'.repeat(43), size: 31_000 }
    const photo = { kind: 'file', ...nowhere, name: 'p.png', type: 'image/png', shownAs: 'photo', width: 9, height: 9 }
    // 65,500 pixels a side according to the header of a JPEG, which has nothing else.
    const head = Buffer.from('ffd8ffc0000b08ffdcffdc01011100', 'hex')
    const large = await heard({ ...photo, preview: urlOf('jpeg', head) })
    expect(large.file).toMatchObject({ name: 'p.png', width: 9, height: 9 })
    expect(large.file).not.toHaveProperty('preview')
    head.writeUInt32BE(0x0100_0100, 7)
    const small = await heard({ ...photo, preview: urlOf('jpeg', head) })
    expect(small.file).toMatchObject({ preview: urlOf('jpeg', head) })
  })

  test('is refused when somebody sets it', async ({ bob }) => {
    await expect(bob.client.identity.setProfile({ avatar: blackPng(2000, 10) })).rejects.toSatisfy(error =>
      isCoded(error, 'bad-field'),
    )
    expect(bob.client.identity.profileOf(bob.id).avatar).toBeUndefined()
  })
})
