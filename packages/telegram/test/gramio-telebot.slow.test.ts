// Bots of GramIO and of telebot: two more libraries of others, which are beside ours and in no package.json.
import type { ChatId } from '@postern/protocol'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { expect } from 'vitest'
import { foreignRequire, missing } from './foreign-bots.ts'
import { type Shown, TOKEN, test } from './telegram.ts'

/** The form that telebot asks for. */
const NUMBERED = `123456:${TOKEN}`
const noGramio = missing('gramio@0.10.0')
const noTelebot = missing('telebot@1.4.1')

test('[TELEGRAM-1.1] a GramIO bot: command, echo as a reply, keyboard, poll, file there and back', async ({
  skip,
  alice,
  telegram,
  atEnd,
}) => {
  skip(noGramio !== undefined, noGramio)
  const { Bot, InlineKeyboard, MediaUpload, bold, format } = foreignRequire('gramio') as Shown
  const faults: unknown[] = []
  const bot = new Bot(NUMBERED, { api: { baseURL: `${telegram.root}/bot` } }) as Shown
  const keyboard = new InlineKeyboard().text('Yes', 'y')
  bot['onError'](({ error }: Shown) => void faults.push(error))
  bot['command']('start', (ctx: Shown) => ctx['send'](format`Welcome, ${bold('you')}`))
  bot['command']('menu', (ctx: Shown) => ctx['send']('Well?', { reply_markup: keyboard }))
  bot['command']('poll', (ctx: Shown) =>
    ctx['sendPoll']({ question: 'Lunch?', options: [{ text: 'A' }, { text: 'B' }] }),
  )
  bot['command']('file', (ctx: Shown) => ctx['sendDocument'](MediaUpload.text('a,b', 'table.csv'), { caption: 'Here' }))
  bot['callbackQuery']('y', async (ctx: Shown) => {
    await ctx['answer']({ text: 'Noted' })
    await ctx['editText']('Done')
  })
  bot['on']('message', async (ctx: Shown) => {
    if (!ctx['document']) return await ctx['reply'](`echo ${ctx['text']}`)
    const bytes = (await bot['downloadFile'](ctx['document'])) as ArrayBuffer
    return await ctx['send'](`got ${Buffer.from(bytes).toString()}`)
  })
  // It waits for its last poll.
  await bot['start']({ longPolling: { timeout: 1 } })
  atEnd(() => bot['stop']())

  await alice.say(telegram.toBot, '/start')
  expect(await alice.hears('Welcome, you')).toMatchObject({ entities: [{ type: 'bold', offset: 9, length: 3 }] })
  await talk(alice, telegram.toBot)
  expect(faults).toEqual([])
})

test('[TELEGRAM-1.1] a telebot bot: command, echo as a reply, keyboard, poll, file there and back', async ({
  skip,
  alice,
  telegram,
  atEnd,
}) => {
  skip(noTelebot !== undefined, noTelebot)
  const TeleBot = foreignRequire('telebot') as new (options: object) => Shown
  const faults: unknown[] = []
  const bot = new TeleBot({ token: NUMBERED, polling: { interval: 10 } })
  bot['api'] = `${telegram.root}/bot${NUMBERED}`
  bot['fileLink'] = `${telegram.root}/file/bot${NUMBERED}/`
  const replyMarkup = bot['inlineKeyboard']([[bot['inlineButton']('Yes', { callback: 'y' })]])
  const to = (said: Shown) => said['chat'].id as number
  bot['on']('error', ({ error }: Shown) => void faults.push(error))
  bot['on']('/start', (said: Shown) => bot['sendMessage'](to(said), 'Welcome, <b>you</b>', { parseMode: 'HTML' }))
  bot['on']('/menu', (said: Shown) => said['reply'].text('Well?', { replyMarkup }))
  bot['on']('/poll', (said: Shown) =>
    // It has no method for this one.
    bot['request']('/sendPoll', { chat_id: to(said), question: 'Lunch?', options: JSON.stringify(['A', 'B']) }),
  )
  bot['on']('/file', (said: Shown) =>
    bot['sendDocument'](to(said), Buffer.from('a,b'), { fileName: 'table.csv', caption: 'Here' }),
  )
  bot['on']('callbackQuery', async (query: Shown) => {
    const { chat, message_id: messageId } = query['message']
    await bot['answerCallbackQuery'](query['id'], { text: 'Noted' })
    await bot['editMessageText']({ chatId: chat.id, messageId }, 'Done')
  })
  bot['on']('document', async (said: Shown) => {
    const { fileLink } = await bot['getFile'](said['document'].file_id)
    await said['reply'].text(`got ${await (await fetch(fileLink)).text()}`)
  })
  bot['on']('text', async (said: Shown) => {
    if (!said['text'].startsWith('/')) await said['reply'].text(`echo ${said['text']}`, { asReply: true })
  })
  bot['start']()
  atEnd(async () => {
    bot['stop']()
    // Its timer ends at its next turn, and a poll may be under way.
    await expect.poll(() => bot['loopFn']._destroyed && bot['flags'].poll, { interval: 10 }).toBe(true)
  })

  await alice.say(telegram.toBot, '/start')
  expect(await alice.hears('Welcome, you')).toMatchObject({ entities: [{ type: 'bold', offset: 9, length: 3 }] })
  await talk(alice, telegram.toBot)
  expect(faults).toEqual([])
})

/** The same with each of the bots. */
async function talk(alice: TestPerson, toBot: ChatId): Promise<void> {
  const said = await alice.say(toBot, 'x')
  expect(await alice.hears('echo x')).toMatchObject({ reply_to: said.id })
  await alice.say(toBot, '/menu')
  const { id } = await alice.hears('Well?')
  await alice.client.messages.press(toBot, { message: id, data: 'y' }, WITHIN)
  expect((await alice.next('toast')).toast.text).toBe('Noted')
  expect((await alice.next('edited')).message.text).toBe('Done')
  await alice.say(toBot, '/poll')
  expect((await alice.next('message', event => event.message.poll !== undefined)).message.poll?.question).toBe('Lunch?')
  await alice.say(toBot, '/file')
  const sent = (await alice.next('message', event => event.message.file !== undefined)).message
  expect(sent).toMatchObject({ text: 'Here', file: { name: 'table.csv', size: 3 } })
  const draft = await alice.client.files.draft(bytesOf('from alice'))
  await alice.client.files.send(toBot, { draft, name: 'a.txt', type: 'text/plain', kind: 'file' }, WITHIN)
  await draft.discard()
  await alice.hears('got from alice')
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
