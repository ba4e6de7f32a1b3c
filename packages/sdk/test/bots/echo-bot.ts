// A bot that repeats what it receives. Started by a test, in a process of its own.
import { Bot } from '../../src/index.ts'

const bot = new Bot()
bot.on('message:text', ctx => ctx.reply(`echo ${ctx.text}`))
bot.on('message:file', async ctx => {
  const file = await ctx.file()
  await ctx.replyFile(file.stream, { name: ctx.message.file.name })
})
await bot.start({ signals: true })
