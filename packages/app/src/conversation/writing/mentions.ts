// The mentions of a text: spans that are found when it is sent, so that no editing of the field can misplace them.
import { contentLimits } from '@postern/protocol'
import type { ChatDetail, MentionView } from '../../contract/objects.ts'

type Named = { user: string; written: string }

/** `picked`: chosen from the list, by name; it distinguishes members with the same name. */
export function mentionsIn(text: string, chat: ChatDetail, picked: ReadonlyMap<string, string>): MentionView[] {
  if (chat.type === 'private') return []
  const command = commandMention(text, chat)
  const found = command ? [command] : []
  let at = command ? command.length : 0
  const named = namesOf(chat, picked)
  while (found.length < contentLimits.mentionsMax) {
    at = text.indexOf('@', at)
    if (at === -1) break
    const here = named.find(({ written }) => isAt(text, written, at))
    if (here) found.push({ user: here.user, offset: at, length: here.written.length })
    at += here?.written.length ?? 1
  }
  return found
}

/** A command is for the only bot, or for the one named right after it. */
function commandMention(text: string, { groupBots }: ChatDetail): MentionView | undefined {
  const command = /^\/[a-z0-9_]+/.exec(text)?.[0]
  if (!command) return undefined
  const bots = groupBots.map(bot => ({ user: bot.id, written: `${command}@${bot.name}` }))
  const named = longestFirst(bots).find(({ written }) => isAt(text, written, 0))
  if (named) return { user: named.user, offset: 0, length: named.written.length }
  const [only, ...others] = groupBots
  return only && others.length === 0 && text[command.length] !== '@'
    ? { user: only.id, offset: 0, length: command.length }
    : undefined
}

function namesOf(chat: ChatDetail, picked: ReadonlyMap<string, string>): Named[] {
  const users = new Map<string, string | undefined>()
  // A name that two members share means nobody, until one of them is chosen.
  for (const { id, name } of chat.members) users.set(name, users.has(name) ? undefined : id)
  for (const [name, user] of picked) users.set(name, user)
  return longestFirst(
    [...users].flatMap(([name, user]) => (user === undefined || name === '' ? [] : [{ user, written: `@${name}` }])),
  )
}

/** So that `@Ann Lee` does not match `@Ann`. */
const longestFirst = (named: Named[]): Named[] =>
  named.toSorted((one, other) => other.written.length - one.written.length)

const isAt = (text: string, written: string, at: number): boolean =>
  text.startsWith(written, at) && !/^[\p{L}\p{N}_]/u.test(text.slice(at + written.length, at + written.length + 2))
