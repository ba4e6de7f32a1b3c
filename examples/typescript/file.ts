// File: returns every file that it receives, compressed. The bytes stream through: a file of 300 MB takes some
// kilobytes of memory.
import { Bot } from './bot.ts'

const bot = new Bot()

bot.on('message:file', async ctx => {
  const { stream } = await ctx.file()
  await ctx.replyFile(stream.pipeThrough(new CompressionStream('gzip')), { name: `${ctx.message.file.name}.gz` })
})

bot.on('message', async ctx => {
  if (ctx.chatId === ctx.message.from.id) await ctx.send('Send me a file.')
})

await bot.start()
