// Deploy buttons: /deploy asks, a press of somebody in DEPLOYERS runs the command that this was started with, and the
// message shows its result.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Bot, Buttons } from './bot.ts'

const [command = 'true', ...words] = process.argv.slice(2)
/** The ids of the people whose press runs the command. Everybody else in the chat can press, too. */
const deployers = (process.env['DEPLOYERS'] ?? '').split(/[\s,]+/)

/**
 * If the bot is killed before the press is confirmed, it runs again: a command that must not run twice has to prevent
 * that.
 */
async function deploy(): Promise<string> {
  const ended = once(spawn(command, words, { stdio: 'inherit' }), 'close')
  const [code] = await ended.catch((error: unknown) => [String(error)])
  return code === 0 ? 'Deployed' : `Failed with ${code}`
}

const bot = new Bot({ commands: [{ name: 'deploy', description: 'Asks, and deploys' }] })

// The app offers /start as the first message to a bot.
bot.hears(/^\/(deploy|start)\b/, ctx =>
  ctx.send('Deploy?', { buttons: new Buttons().data('Deploy', 'deploy').data('Not now', 'drop') }),
)

bot.press(/^(deploy|drop)$/, async ctx => {
  const { from, data, message_id } = ctx.button
  const isAllowed = deployers.includes(from.id)
  const text = isAllowed ? 'I heard you.' : `You may not deploy: DEPLOYERS lacks ${from.id}.`
  const isInTime = await ctx.answer(text)
  if (!isAllowed) return console.error(`${text} (${from.name})`)
  // A person who pressed more than a minute ago, while the bot was away, has given up.
  if (!isInTime) return console.error(`The press of ${from.name} came too late.`)
  const { buttons = [] } = await ctx.api.getMessage({ chat: ctx.chatId, msg: message_id })
  // Somebody else was faster.
  if (buttons.length === 0) return
  if (data === 'deploy') await ctx.edit('Deploying …')
  const outcome = data === 'deploy' ? await deploy() : 'Not deployed'
  // The buttons go last: a press counts until its outcome is shown.
  await ctx.edit(`${outcome}, by ${from.name}.`, { buttons: [] })
})

await bot.start()
