// Asks about every bot among the new members of a group.
import type { Views } from '../contract/views.ts'
import { type JoiningBot, warnOfBot } from './add-bot-warning.tsx'

type Contact = Views['contacts']['value'][number]

/** One refusal is enough: nobody is added then. */
export async function agreesToBots(joining: readonly Contact[], group: JoiningBot['group']): Promise<boolean> {
  for (const { name, bot } of joining)
    if (bot && !(await warnOfBot({ bot: name, ...(group && { group }) }))) return false
  return true
}
