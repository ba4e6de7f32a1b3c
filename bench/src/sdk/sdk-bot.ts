// An echo bot of the SDK in a separate process, as its README begins.
import type { BotSettings } from '../processes/bot.ts'
import { serveParent, settingsFromParent } from '../processes/parent.ts'
import { Bot } from './inside.ts'

const bot = new Bot(settingsFromParent<BotSettings>())
bot.on('message:text', ctx => ctx.reply(ctx.text))
const ended = bot.start()
serveParent({ state: {}, stop: () => bot.stop() })
await ended
