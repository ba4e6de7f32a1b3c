// All methods that exist here.
import { botMethods } from './bot.ts'
import { chatMethods } from './chats.ts'
import { fileMethods } from './files.ts'
import { mediaGroupMethods } from './media-group.ts'
import type { Method, Methods } from './method.ts'
import { pollMethods } from './polls.ts'
import { receivingMethods } from './receiving.ts'
import { sendingMethods } from './sending.ts'

export const methods: Methods = {
  ...botMethods,
  ...receivingMethods,
  ...sendingMethods,
  ...fileMethods,
  ...mediaGroupMethods,
  ...pollMethods,
  ...chatMethods,
}

const byName = new Map(Object.entries(methods).map(([name, method]) => [name.toLowerCase(), { name, method }]))

/** Upper and lower case do not matter. */
export const findMethod = (name: string): { name: string; method: Method } | undefined => byName.get(name.toLowerCase())
