// The completions at the caret: a command at the beginning, or the name of a member after an @.
import type { ChatDetail, CommandInfo } from '../../contract/objects.ts'

export type CommandChoice = {
  kind: 'command'
  command: CommandInfo
  bot?: { id: string; name: string }
  written: string
}
export type MemberChoice = { kind: 'member'; id: string; name: string; bot: boolean; from: number; to: number }
export type Completion = CommandChoice | MemberChoice

const MEMBERS_SHOWN_MAX = 8

type Typed = { text: string; caret: number }

export function choicesAt(chat: ChatDetail, me: string, { text, caret }: Typed): Completion[] {
  const command = /^\/(\S*)$/.exec(text)
  if (command && caret > 0) return commandsOf(chat).filter(choice => choice.written.startsWith(text.toLowerCase()))
  return chat.type === 'group' ? membersAt(chat, me, { text, caret }) : []
}

/** The form of each command here: with several bots, it names its bot. */
export function commandsOf(chat: ChatDetail): CommandChoice[] {
  if (chat.type === 'private')
    return (chat.bot?.commands ?? []).map(command => ({ kind: 'command', command, written: `/${command.name}` }))
  const { groupBots } = chat
  return groupBots.flatMap(({ id, name, commands }) =>
    commands.map(
      (command): CommandChoice => ({
        kind: 'command',
        command,
        bot: { id, name },
        written: groupBots.length === 1 ? `/${command.name}` : `/${command.name}@${name}`,
      }),
    ),
  )
}

function membersAt(chat: ChatDetail, me: string, { text, caret }: Typed): MemberChoice[] {
  const typed = /(?:^|[\s(])@([^\s@]*)$/.exec(text.slice(0, caret))
  if (!typed) return []
  const start = (typed[1] ?? '').toLocaleLowerCase()
  const from = caret - start.length - 1
  return chat.members
    .filter(member => member.id !== me && wordsOf(member.name).some(word => word.startsWith(start)))
    .slice(0, MEMBERS_SHOWN_MAX)
    .map(({ id, name, bot }) => ({ kind: 'member', id, name, bot, from, to: caret }))
}

const wordsOf = (name: string): string[] => {
  const lower = name.toLocaleLowerCase()
  return [lower, ...lower.split(/\s+/)]
}

/** Shown after the caret while a command waits for its first argument. */
export function hintFor(chat: ChatDetail, text: string): string | undefined {
  if (!text.startsWith('/')) return undefined
  return commandsOf(chat).find(({ written }) => text === `${written} `)?.command.args
}
