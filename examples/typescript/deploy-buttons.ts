// Deploy buttons: /deploy asks, a press runs the command that this was started with, and the message shows its result.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { call, handleUpdates, type Message, type Update } from './bot.ts'

const [command = 'true', ...words] = process.argv.slice(2)
const [yes, no] = [
  { text: 'Deploy', data: 'deploy' },
  { text: 'Not now', data: 'drop' },
]

/**
 * If the bot is killed before the press is confirmed, it runs again: a command that must not run twice has to prevent
 * that.
 */
async function deploy(): Promise<string> {
  const ended = once(spawn(command, words, { stdio: 'inherit' }), 'close')
  const [code] = await ended.catch((error: unknown) => [String(error)])
  return code === 0 ? 'Deployed' : `Failed with ${code}`
}

async function answerPress({ id, chat_id, button }: Extract<Update, { type: 'button' }>): Promise<void> {
  // A person who pressed more than a minute ago, while the bot was away, has given up: this call is refused then, and
  // nothing runs.
  await call(`presses/${button.press_id}/answer`, { key: `press-${id}`, body: { text: 'I heard you.' } })
  const message = `chats/${chat_id}/messages/${button.message_id}`
  const { buttons = [] } = await call<Message>(message)
  // Somebody else was faster.
  if (buttons.length === 0) return
  // Everybody in the chat can press. If not everybody may, compare button.from.id with a list.
  const edit = (body: object) => call(message, { method: 'PATCH', body })
  if (button.data === yes.data) await edit({ text: 'Deploying …' })
  const outcome = button.data === yes.data ? await deploy() : 'Not deployed'
  // The buttons go last: a press counts until its outcome is shown.
  await edit({ text: `${outcome}, by ${button.from.name}.`, buttons: [] })
}

await call('me/commands', { method: 'PUT', body: { commands: [{ name: 'deploy', description: 'Asks, and deploys' }] } })
await handleUpdates(async update => {
  if (update.type === 'button') await answerPress(update)
  // The app offers /start as the first message to a bot.
  if (update.type === 'message' && /^\/(deploy|start)\b/.test(update.message.text ?? ''))
    await call(`chats/${update.chat_id}/messages`, {
      key: `ask-${update.id}`,
      body: { text: 'Deploy?', buttons: [[yes, no]] },
    })
})
