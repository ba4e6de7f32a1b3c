// The rules for the commands of a bot.
import { contentLimits } from '../limits.ts'
import type { Fault } from './kept.ts'
import { lineOfFault } from './line.ts'

const { commandsMax, commandNameCharsMax, commandDescriptionCharsMax, commandArgsCharsMax } = contentLimits

export const commandName = new RegExp(`^[a-z0-9_]{1,${commandNameCharsMax}}$`)

export const commandNameFault = (name: string): Fault =>
  commandName.test(name) ? undefined : `must have 1 to ${commandNameCharsMax} characters from a to z, 0 to 9 and _`

export const commandDescriptionFault = (text: string): Fault => lineOfFault(text, commandDescriptionCharsMax)

export const commandArgsFault = (text: string): Fault => lineOfFault(text, commandArgsCharsMax)

export const commandsCountFault = (commands: readonly unknown[]): Fault =>
  commands.length > commandsMax ? `must have at most ${commandsMax} entries` : undefined
