// A bot of node-telegram-bot-api, which brings many old packages: it is beside ours and in no package.json.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { WITHIN } from '@postern/testkit'
import { expect } from 'vitest'
import { type Shown, TOKEN, test } from './telegram.ts'

const FOLDER = new URL('../../../node_modules/.telegram-bots/', import.meta.url)
const INSTALL = 'npm install --prefix node_modules/.telegram-bots --ignore-scripts node-telegram-bot-api@0.66.0'
const isInstalled = existsSync(new URL('node_modules/node-telegram-bot-api/package.json', FOLDER))

test('[TELEGRAM-1.1] a node-telegram-bot-api bot: command, echo as a reply, keyboard, poll, file there and back', async ({
  skip,
  alice,
  telegram,
  atEnd,
}) => {
  skip(!isInstalled, `not run: ${INSTALL}`)
  const Bot = createRequire(FOLDER)('node-telegram-bot-api') as new (token: string, options: object) => Shown
  const bot = new Bot(TOKEN, { polling: { interval: 10, params: { timeout: 1 } }, baseApiUrl: telegram.root })
  // It waits for its last poll.
  atEnd(() => bot['stopPolling']())
  const file = { filename: 'table.csv', contentType: 'text/csv' }
  const keyboard = { inline_keyboard: [[{ text: 'Yes', callback_data: 'y' }]] }
  bot['onText'](/^\/start/, (m: Shown) => bot['sendMessage'](m['chat'].id, `<i>Welcome</i>`, { parse_mode: 'HTML' }))
  bot['onText'](/^\/menu/, (m: Shown) => bot['sendMessage'](m['chat'].id, 'Well?', { reply_markup: keyboard }))
  bot['onText'](/^\/poll/, (m: Shown) => bot['sendPoll'](m['chat'].id, 'Lunch?', ['Soup', 'Salad']))
  bot['onText'](/^\/file/, (m: Shown) =>
    bot['sendDocument'](m['chat'].id, Buffer.from('a,b'), { caption: 'Here' }, file),
  )
  bot['on']('callback_query', async (query: Shown) => {
    const { chat, message_id: number } = query['message']
    await bot['answerCallbackQuery'](query['id'], { text: 'Noted' })
    await bot['editMessageText']('Done', { chat_id: chat.id, message_id: number })
  })
  bot['on']('document', async (m: Shown) => {
    const response = await fetch(await bot['getFileLink'](m['document'].file_id))
    await bot['sendMessage'](m['chat'].id, `got ${await response.text()}`)
  })
  bot['on']('text', async (m: Shown) => {
    if (!m['text'].startsWith('/'))
      await bot['sendMessage'](m['chat'].id, `echo ${m['text']}`, { reply_to_message_id: m['message_id'] })
  })
  const { toBot } = telegram

  await alice.say(toBot, '/start')
  expect(await alice.hears('Welcome')).toMatchObject({ entities: [{ type: 'italic', offset: 0, length: 7 }] })
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
})

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
