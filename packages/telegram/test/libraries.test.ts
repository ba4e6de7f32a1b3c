// Bots of real libraries, unchanged but for the address: grammY and Telegraf.
import { WITHIN } from '@postern/testkit'
import { Bot, InlineKeyboard, InputFile } from 'grammy'
import { Markup, Telegraf } from 'telegraf'
import { message } from 'telegraf/filters'
import { expect } from 'vitest'
import { TOKEN, test } from './telegram.ts'

const BYTES = Buffer.from('a report of some bytes')

test('[TELEGRAM-1.1] a grammY bot: command, echo, keyboard, toast, edit, poll, file there and back, reaction', async ({
  alice,
  telegram,
  atEnd,
}) => {
  const bot = new Bot(TOKEN, { client: { apiRoot: telegram.root } })
  const downloads: string[] = []
  const reactions: unknown[] = []
  bot.command('start', ctx => ctx.reply(`<b>Hi</b> ${ctx.from?.first_name}`, { parse_mode: 'HTML' }))
  bot.command('menu', ctx =>
    ctx.reply('Well?', { reply_markup: new InlineKeyboard().text('Yes', 'y').text('No', 'n') }),
  )
  bot.callbackQuery('y', async ctx => {
    await ctx.answerCallbackQuery('Noted')
    await ctx.editMessageText('You said yes')
  })
  bot.command('poll', ctx => ctx.replyWithPoll('Lunch?', ['Soup', 'Salad']))
  bot.command('file', ctx => ctx.replyWithDocument(new InputFile(BYTES, 'report.txt'), { caption: 'Here' }))
  bot.on('message:document', async ctx => {
    const { file_path: path } = await ctx.getFile()
    const response = await fetch(`${telegram.root}/file/bot${TOKEN}/${path}`)
    downloads.push(`${path?.slice(-4)} ${await response.text()}`)
    await ctx.react('👍')
  })
  bot.on('message_reaction', ctx => void reactions.push(ctx.messageReaction.new_reaction))
  bot.on('message:text', ctx =>
    ctx.reply(ctx.message.text, { reply_parameters: { message_id: ctx.message.message_id } }),
  )
  const running = bot.start({ allowed_updates: ['message', 'callback_query', 'message_reaction', 'poll'] })
  atEnd(async () => {
    await bot.stop()
    await running
  })
  const { toBot } = telegram

  await alice.say(toBot, '/start')
  expect(await alice.hears('Hi alice')).toMatchObject({ entities: [{ type: 'bold', offset: 0, length: 2 }] })
  const said = await alice.say(toBot, 'echo')
  expect(await alice.hears('echo')).toMatchObject({ reply_to: said.id })

  await alice.say(toBot, '/menu')
  const menu = await alice.hears('Well?')
  const press = await alice.client.messages.press(toBot, { message: menu.id, data: 'y' }, WITHIN)
  expect((await alice.next('toast')).toast).toEqual({ press_id: press, text: 'Noted' })
  expect((await alice.next('edited')).message).toMatchObject({ id: menu.id, text: 'You said yes' })

  await alice.say(toBot, '/poll')
  expect((await alice.next('message', event => event.message.poll !== undefined)).message.poll?.options).toHaveLength(2)
  await alice.say(toBot, '/file')
  const file = (await alice.next('message', event => event.message.file !== undefined)).message
  expect(file).toMatchObject({ text: 'Here', file: { name: 'report.txt', size: BYTES.length } })

  const draft = await alice.client.files.draft(bytesOf('from alice'))
  const sent = await alice.client.files.send(toBot, { draft, name: 'a.txt', type: 'text/plain', kind: 'file' }, WITHIN)
  await draft.discard()
  expect((await alice.next('reaction')).reaction).toMatchObject({ message_id: sent.id, emoji: '👍' })
  expect(downloads).toEqual(['.txt from alice'])
  await alice.client.messages.react(toBot, { message: file.id, emoji: '❤️' }, WITHIN)
  await alice.say(toBot, 'last')
  await alice.hears('last')
  expect(reactions).toEqual([[{ type: 'emoji', emoji: '❤️' }]])
})

test('[TELEGRAM-1.1] a Telegraf bot: command, text with Markdown, keyboard, photo by multipart', async ({
  alice,
  telegram,
  atEnd,
}) => {
  const bot = new Telegraf(TOKEN, { telegram: { apiRoot: telegram.root } })
  bot.start(ctx => ctx.replyWithMarkdownV2('*Hi* there\\.'))
  bot.command('menu', ctx => ctx.reply('Well?', Markup.inlineKeyboard([Markup.button.callback('Yes', 'y')])))
  bot.action('y', async ctx => {
    await ctx.answerCbQuery('Noted')
    await ctx.editMessageText('Yes it is')
  })
  bot.command('photo', ctx => ctx.replyWithPhoto({ source: PIXEL, filename: 'one.png' }))
  bot.on(message('text'), ctx => ctx.reply(`echo ${ctx.message.text}`))
  const running = bot.launch()
  atEnd(async () => {
    bot.stop()
    await running
  })
  const { toBot } = telegram
  await alice.say(toBot, '/start')
  expect(await alice.hears('Hi there.')).toMatchObject({ entities: [{ type: 'bold', offset: 0, length: 2 }] })
  await alice.say(toBot, 'x')
  await alice.hears('echo x')
  await alice.say(toBot, '/menu')
  const menu = await alice.hears('Well?')
  await alice.client.messages.press(toBot, { message: menu.id, data: 'y' }, WITHIN)
  expect((await alice.next('toast')).toast.text).toBe('Noted')
  expect((await alice.next('edited')).message.text).toBe('Yes it is')
  await alice.say(toBot, '/photo')
  const photo = (await alice.next('message', event => event.message.file !== undefined)).message.file
  expect(photo).toMatchObject({ kind: 'photo', width: 1, height: 1 })
})

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
