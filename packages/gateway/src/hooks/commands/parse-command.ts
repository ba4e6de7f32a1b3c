// Whether a message is a command to manage hooks, and which.
import type { JournalEvent } from '@postern/core'
import { type AccountId, type ChatId, isAccountId } from '@postern/protocol'

export type HookCommand = {
  name: 'hook' | 'hooks' | 'unhook'
  /** What stands behind the name, word by word. */
  words: string[]
  chat: ChatId
  from: AccountId
}

const pattern = /^\/(hook|hooks|unhook)(?:@\S+)?(?:\s+(.*))?$/is

/** In a group only those that are meant for this bot: others may have commands of these names, too. */
export function parseCommand(json: string, bot: AccountId): HookCommand | undefined {
  const event = JSON.parse(json) as JournalEvent
  if (event.type !== 'message') return undefined
  const { text, from, mentions } = event.message
  const [, name, rest = ''] = pattern.exec(text ?? '') ?? []
  if (name === undefined || !isAccountId(from.id)) return undefined
  const isPrivate = isAccountId(event.chat_id)
  if (!isPrivate && !mentions?.some(({ user }) => user === bot)) return undefined
  return {
    name: name.toLowerCase() as HookCommand['name'],
    words: rest.split(/\s+/).filter(word => word !== ''),
    chat: event.chat_id as ChatId,
    from: from.id,
  }
}
