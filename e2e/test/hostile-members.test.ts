// Members who lie: forged presses, toasts, votes and closings, and files that are not what they claim.
import { randomBytes } from 'node:crypto'
import type { Message } from '@postern/bot-api/objects'
import { contentLimits, isCoded, type MessageId, type PressId } from '@postern/protocol'
import type { FileBody } from '@postern/protocol/content'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { testInOneWorld as base } from '@postern/testkit/fixtures'
import { describe, expect, vi } from 'vitest'
import { filesIn } from './data-files.ts'
import { forging } from './forged-content.ts'

vi.mock(import('@postern/protocol/content'), async original =>
  (await import('./forged-content.ts')).forgedContent(original),
)

const BUTTONS = [[{ text: 'Yes', data: 'yes' }]]

let marks = 0

const isMark = (message: Message | undefined): boolean => message?.text?.startsWith('mark ') ?? false

const newest = (person: TestPerson): number => person.client.journal.read(0, 10_000).at(-1)?.id ?? 0

const test = base
  .extend('bot', { scope: 'file' }, ({ world }) => world.person('bot', { bot: true }))
  .extend('alice', { scope: 'file' }, ({ world }) => world.person('alice'))
  .extend('mallory', { scope: 'file' }, ({ world }) => world.person('mallory'))
  .extend(
    'chat',
    { scope: 'file' },
    async ({ alice, mallory, bot }) =>
      (await bot.client.chats.createGroup({ name: 'all', members: [alice.id, mallory.id] }, WITHIN)).id,
  )
  .extend('shown', ({ alice, mallory, bot, chat }) => async (): Promise<MessageId> => {
    const message = await bot.client.messages.sendText(chat, { text: `press ${++marks}`, buttons: BUTTONS }, WITHIN)
    for (const person of [alice, mallory]) await person.hears(message.text ?? '')
    return message.id
  })
  /** Mallory sends a body in the group, as if it were a text. */
  .extend('says', ({ mallory, chat }) => async (body: object): Promise<Message> => {
    return await forging(
      said => (said.kind === 'text' ? body : undefined),
      () => mallory.client.messages.sendText(chat, { text: 'forged' }, WITHIN),
    )
  })
  /** All events of the person up to now; mallory's earlier messages have arrived. */
  .extend(
    'toldSince',
    ({ mallory, chat }) =>
      async (person: TestPerson, since: number): Promise<Record<string, unknown>[]> => {
        const mark = `mark ${++marks}`
        await mallory.say(chat, mark)
        await expect.poll(() => person.client.messages.list(chat, { limit: 1 })[0]?.text).toBe(mark)
        return person.client.journal
          .read(since, 1000)
          .map(({ json }) => JSON.parse(json) as Record<string, unknown>)
          .filter(event => !isMark(event['message'] as Message | undefined) && event['type'] !== 'receipt')
      },
  )
  .extend(
    'tallies',
    ({ alice, mallory, bot, chat }) =>
      (message: MessageId) =>
        [bot, alice, mallory].map(person => {
          const { poll } = person.client.messages.get(chat, message)
          return `${poll?.closed} ${poll?.options.map(({ voters }) => voters.map(({ id }) => id).join('+')).join()}`
        }),
  )
  .extend('asked', ({ alice, mallory, bot, chat }) => async (): Promise<MessageId> => {
    const message = await alice.client.messages.sendPoll(
      chat,
      { question: 'Sure?', options: ['a', 'b'], multiple: false },
      WITHIN,
    )
    for (const person of [bot, mallory]) await person.next('message', event => event.message.id === message.id)
    await bot.client.messages.vote(chat, { message: message.id, options: [1] }, WITHIN)
    await alice.next('poll', event => event.message.id === message.id)
    return message.id
  })
  .extend(
    'sent',
    ({ mallory, chat }) =>
      async (change: (body: FileBody) => object, from = mallory): Promise<Message> => {
        const source = async function* () {
          yield randomBytes(1000)
        }
        const draft = await from.client.files.draft(source())
        const file = { draft, name: 'a.bin', type: 'a/b', kind: 'file' as const }
        const message = await forging(
          said => (said.kind === 'file' ? change(said) : undefined),
          () => from.client.files.send(chat, file, WITHIN),
        )
        await draft.discard()
        return message
      },
  )
  .extend(
    'isThere',
    ({ alice, chat }) =>
      (message: Message) =>
        alice.client.messages.list(chat, { limit: 100 }).some(({ id }) => id === message.id),
  )

test.beforeAll(async ({ alice, mallory, bot, chat }) => {
  await bot.say(chat, 'welcome')
  for (const person of [alice, mallory]) await person.hears('welcome')
  for (const person of [alice, mallory]) await person.client.identity.learnProfile(bot.id, WITHIN)
})

describe('presses', () => {
  const press = 'b'.repeat(26) as PressId

  test('[CORE-6.9] of data that the bot never offered, or under a message that is not its own, are nobody’s business', async ({
    alice,
    mallory,
    bot,
    shown,
    chat,
    toldSince,
  }) => {
    const message = await shown()
    const text = (await alice.say(chat, 'alice has no buttons')).id
    await mallory.hears('alice has no buttons')
    await bot.hears('alice has no buttons')
    const since = newest(bot)
    const bodies = [
      { kind: 'press', press, target: message, data: 'no' },
      { kind: 'press', press, target: text, data: 'yes' },
      { kind: 'press', press, target: 'a'.repeat(32), data: 'yes' },
      { kind: 'press', press: '../../x', target: message, data: 'yes' },
      { kind: 'press', press, target: message, data: 'y'.repeat(5000) },
    ]
    for (const body of bodies)
      await forging(
        said => (said.kind === 'press' ? body : undefined),
        () => mallory.client.messages.press(chat, { message, data: 'yes' }, WITHIN),
      )
    expect(await toldSince(bot, since)).toEqual([])
  })

  test('[CORE-6.8, CORE-6.10] under the id of somebody else’s press are dropped, and the answer goes to whom it belongs', async ({
    alice,
    mallory,
    bot,
    shown,
    chat,
    toldSince,
  }) => {
    const message = await shown()
    const real = await alice.client.messages.press(chat, { message, data: 'yes' }, WITHIN)
    await bot.next('button', ({ button }) => button.press_id === real)
    const since = newest(bot)
    await forging(
      said => (said.kind === 'press' ? { ...said, press: real } : undefined),
      () => mallory.client.messages.press(chat, { message, data: 'yes' }, WITHIN),
    )
    expect(await toldSince(bot, since)).toEqual([])
    await bot.client.messages.answerPress(real, 'for alice', WITHIN)
    expect((await alice.next('toast')).toast).toEqual({ press_id: real, text: 'for alice' })
    const toasts = mallory.client.journal.read(0, 10_000).filter(({ json }) => json.includes('"toast"'))
    expect(toasts).toEqual([])
  })

  test('[CORE-6.8, CORE-6.10] and toasts that are said aloud to the group are not heard', async ({
    alice,
    bot,
    shown,
    chat,
    says,
    toldSince,
  }) => {
    const message = await shown()
    const real = await alice.client.messages.press(chat, { message, data: 'yes' }, WITHIN)
    await bot.next('button', ({ button }) => button.press_id === real)
    const since = { bot: newest(bot), alice: newest(alice) }
    await says({ kind: 'press', press, target: message, data: 'yes' })
    await says({ kind: 'toast', press: real, text: 'forged' })
    expect(await toldSince(bot, since.bot)).toEqual([])
    expect(await toldSince(alice, since.alice)).toEqual([])
  })

  test('[CORE-6.10] a toast from somebody who is not the bot is not shown, and the bot’s is', async ({
    alice,
    mallory,
    bot,
    shown,
    chat,
    toldSince,
  }) => {
    const message = await shown()
    const real = await alice.client.messages.press(chat, { message, data: 'yes' }, WITHIN)
    await bot.next('button', ({ button }) => button.press_id === real)
    const since = newest(alice)
    let forged = 0
    // Its receipts would be forged, too, and be toasts of the bot.
    bot.wire.cut()
    await forging(
      said => {
        if (said.kind !== 'receipt') return undefined
        forged += 1
        return { kind: 'toast', press: real, text: 'forged' }
      },
      async () => {
        await alice.say(chat, 'answer me by a receipt')
        await mallory.hears('answer me by a receipt')
        await expect.poll(() => forged).toBeGreaterThan(0)
        // Everybody who owes alice a receipt has sent her a toast by then.
        expect((await toldSince(alice, since)).filter(({ type }) => type === 'toast')).toEqual([])
      },
    )
    bot.wire.mend()
    await bot.client.messages.answerPress(real, 'the real one', WITHIN)
    expect((await alice.next('toast')).toast).toEqual({ press_id: real, text: 'the real one' })
  })

  test('[CORE-6.9] the buttons of a person cannot be pressed', async ({ alice, says, chat }) => {
    await says({ kind: 'text', text: 'press mine', buttons: BUTTONS })
    const { id } = await alice.hears('press mine')
    await expect(alice.client.messages.press(chat, { message: id, data: 'yes' }, WITHIN)).rejects.toSatisfy(error =>
      isCoded(error, 'bad-field'),
    )
  })
})

describe('polls', () => {
  const forgeries: [string, (target: MessageId, bot: TestPerson) => object][] = [
    ['closed by somebody else', target => ({ kind: 'close', target })],
    ['voted for an option that is not there', target => ({ kind: 'vote', target, options: [7] })],
    ['voted twice in at once', target => ({ kind: 'vote', target, options: [0, 1] })],
    ['voted for the same option twice', target => ({ kind: 'vote', target, options: [0, 0] })],
    ['voted for half an option', target => ({ kind: 'vote', target, options: [0.5] })],
    [
      'voted in in somebody else’s name',
      (target, bot) => ({ kind: 'vote', target, options: [], from: bot.id, sender: bot.id }),
    ],
    ['edited', target => ({ kind: 'edit', target, text: 'forged', question: 'forged' })],
    ['deleted by somebody else', target => ({ kind: 'delete', target })],
  ]

  test.for(forgeries)(
    '[CORE-6.3, CORE-6.6] a poll that is %s stands as it did, on every side',
    async ([_what, body], { alice, mallory, bot, asked, says, toldSince, tallies, chat }) => {
      const message = await asked()
      await says(body(message, bot)).catch(() => undefined)
      await toldSince(alice, 0)
      await toldSince(bot, 0)
      await toldSince(mallory, 0)
      expect(new Set(tallies(message).slice(0, 2))).toEqual(new Set([`false ,${bot.id}`]))
      await alice.client.messages.closePoll(chat, message, WITHIN)
      await bot.next('poll', event => event.message.id === message && event.message.poll?.closed === true)
      expect(tallies(message)[0]).toBe(`true ,${bot.id}`)
    },
  )
})

describe('files', () => {
  const absurd: [string, object][] = [
    ['more bytes than a file may have', { size: contentLimits.fileBytesMax + 1 }],
    ['more bytes than can be counted', { size: 1e300 }],
    ['fewer bytes than none', { size: -1 }],
    ['half a byte', { size: 0.5 }],
    ['a blob that is a path', { blob: '../../../../etc/passwd' }],
    ['a blob that is an address', { blob: 'http://127.0.0.1/x' }],
    ['no key', { key: '' }],
    ['a name of a megabyte', { name: 'x'.repeat(60_000) }],
    ['a type that ends the header', { type: 'a/b\r\nset-cookie: x' }],
    ['a preview that is an address', { preview: 'https://example.org/track.gif' }],
    ['a preview that is a script', { preview: 'data:text/html;base64,AAAA' }],
    ['no width at all', { width: 0 }],
  ]
  test.for(absurd)('[CORE-7.5] with %s are not shown', async ([_what, change], { alice, sent, toldSince, isThere }) => {
    const message = await sent(body => ({ ...body, ...change }))
    await toldSince(alice, 0)
    expect(isThere(message)).toBe(false)
  })

  const wrong: [string, (body: FileBody) => object][] = [
    ['another size', body => ({ ...body, size: body.size + 1 })],
    ['the largest size', body => ({ ...body, size: contentLimits.fileBytesMax })],
    ['no size', body => ({ ...body, size: 0 })],
    ['another key', body => ({ ...body, key: body.digest })],
    ['another digest', body => ({ ...body, digest: body.key })],
    ['a key that is no base64', body => ({ ...body, key: '!'.repeat(43) })],
  ]
  test.for(wrong)('[CORE-13.9] with %s are damaged', async ([_what, change], { alice, sent, toldSince, chat }) => {
    const message = await sent(change)
    await toldSince(alice, 0)
    await expect(alice.client.files.open(chat, message.id, WITHIN)).rejects.toSatisfy(error =>
      isCoded(error, 'file-damaged'),
    )
  })

  test('[CORE-7.6] with the name of a path stay where files are kept', async ({
    world,
    alice,
    sent,
    toldSince,
    chat,
  }) => {
    const before = filesIn(world.directory)
    const message = await sent(body => ({ ...body, name: '../../../../escaped\u0000.bin' }))
    await toldSince(alice, 0)
    const file = await alice.client.files.open(chat, message.id, WITHIN)
    let length = 0
    for await (const part of file.read()) length += part.length
    expect(length).toBe(1000)
    const made = filesIn(world.directory).filter(path => !before.includes(path))
    expect(made.filter(path => path.includes('escaped'))).toEqual([])
    expect(made.filter(path => !/\/(files|blobs\/..)\/[a-z2-7.]+$/.test(path))).toEqual([])
  })

  test('[CORE-7.6] that name somebody else’s blob give nobody its bytes, and take it from nobody', async ({
    alice,
    mallory,
    bot,
    sent,
    chat,
    toldSince,
  }) => {
    let theirs: FileBody | undefined
    const real = await sent(body => (theirs = body), alice)
    await mallory.next('message', event => event.message.id === real.id)
    const forged = await sent(body => ({ ...body, blob: theirs?.blob }))
    await bot.next('message', event => event.message.id === forged.id)
    await expect(bot.client.files.open(chat, forged.id, WITHIN)).rejects.toSatisfy(error =>
      isCoded(error, 'file-damaged'),
    )
    await bot.client.messages.delete(chat, { message: forged.id, for: 'me' }, WITHIN)
    await alice.client.messages.delete(chat, { message: forged.id, for: 'me' }, WITHIN)
    await mallory.client.messages.delete(chat, { message: forged.id, for: 'all' }, WITHIN)
    await toldSince(bot, 0)
    const opened = await bot.client.files.open(chat, real.id, WITHIN)
    for await (const part of opened.read()) expect(part).toHaveLength(1000)
  })
})
