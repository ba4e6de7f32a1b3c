// A bot that kills itself at one point of its handler: before or after a request, or between two. Started by a test.
import { appendFileSync } from 'node:fs'
import { Bot } from '../../src/index.ts'

const { KILL_AT = '', HANDLED_FILE = '' } = process.env
const points = { passed: 0 }

async function point(): Promise<void> {
  points.passed += 1
  if (String(points.passed) !== KILL_AT) return
  process.kill(process.pid, 'SIGKILL')
  await new Promise(() => undefined)
}

const bot = new Bot({
  fetch: async (url, init) => {
    const isSend = init?.method !== 'GET'
    if (isSend) await point()
    const answer = await fetch(url, init)
    // The gateway has executed the request, and the bot never learns it.
    if (isSend) await point()
    return answer
  },
})
bot.on('message:text', async ctx => {
  appendFileSync(HANDLED_FILE, `${ctx.text}\n`)
  const first = await ctx.reply(`${ctx.text}: begun`)
  const file = new TextEncoder().encode(`${ctx.text}, run in process ${process.pid}`)
  await ctx.replyFile(file, { name: 'log.txt', caption: `${ctx.text}: file` })
  await ctx.api.editMessage({ chat: ctx.chatId, msg: first.id, text: `${ctx.text}: edited` })
  await ctx.send(`${ctx.text}: done by ${process.pid}`, { key: 'result' })
})
await bot.start()
