// Poll: "/poll Lunch? Pizza, Soup" asks, and when the poll is closed, after an hour or by /close in reply to it, the
// bot posts the result.
import { Bot } from './bot.ts'

const OPEN_MS = Number(process.env['OPEN_MINUTES'] ?? 60) * 60_000

const bot = new Bot({
  commands: [
    { name: 'poll', description: 'Asks everybody here', args: 'Lunch? Pizza, Soup' },
    { name: 'close', description: 'In reply to a poll: ends it' },
  ],
  // A poll that cannot be asked or closed cannot be at the second attempt either.
  attempts: 1,
})

bot.hears(/^\/close/, async ctx => {
  const { reply_to: msg } = ctx.message
  if (msg !== undefined) await ctx.api.closePoll({ chat: ctx.chatId, msg })
})

// Not `command`, which needs a mention in groups: people may also address one bot by /poll@Bot.
bot.hears(/^\/poll\S*\s+(.*?\?)\s*(.*)$/s, async (ctx, next) => {
  const [, question = '', list = ''] = ctx.match ?? []
  const options = list.split(/\s*[,\n]\s*/).filter(option => option !== '')
  if (options.length < 2) return await next()
  // An hour from the question, not from now: under one key the body must be the same, whenever it is sent.
  await ctx.api.sendPoll({ chat: ctx.chatId, question, options, close_ts: ctx.message.ts + OPEN_MS })
})

bot.hears(/^\/(poll|start)\b/, ctx => ctx.send('Ask like this: /poll Lunch? Pizza, Soup'))

bot.on('poll:closed', async ctx => {
  const { id, poll, from } = ctx.message
  // Updates about polls of other people arrive, too.
  if (from.id !== ctx.me.id) return
  const most = Math.max(...poll.options.map(({ votes }) => votes))
  const best = poll.options.filter(({ votes }) => votes === most).map(({ text }) => text)
  const text = most > 0 ? `${best.join(' and ')}, votes: ${most}.` : 'Nobody has voted.'
  // Once for each poll, and not once for each update about it.
  await bot.api.sendMessage({ chat: ctx.chatId, text, reply_to: id }, { key: `result-${id}` })
})

await bot.start()
