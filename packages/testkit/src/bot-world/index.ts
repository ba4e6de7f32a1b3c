// The exports of the package for bot authors: a whole messenger in one process, in which bots are killed and restarted.
export type { BotAccess, BotClock, BotStart, MakeBot, StartableBot } from './bot-life.ts'
export { ChatPerson } from './bot-person.ts'
export type { BotExecutable } from './bot-process.ts'
export { BotWorld, type BotWorldOptions } from './bot-world.ts'
export type { SeenMessage } from './seen-message.ts'
export { type BotOptions, type BotProgram, TestBot } from './test-bot.ts'
