// The files that a bot receives from a person at the app.
import { WITHIN } from '@postern/testkit'
import type { WalkingBot } from './walking-bot.ts'

/** The next file that the bot gets: its details, and its bytes. */
export async function received(bot: WalkingBot) {
  const { chat_id, message } = await bot.next('message', update => update.message.file !== undefined)
  const opened = await bot.gateway.client.files.open(chat_id, message.id, WITHIN)
  const bytes = Buffer.concat(await Array.fromAsync(opened.read()))
  if (!message.file) throw new Error('there is no file')
  return { file: message.file, bytes }
}
