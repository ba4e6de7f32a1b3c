// Parses a message as a hook command.
import type { JournalEvent } from '@postern/core'
import { type AccountId, type ChatId, isAccountId } from '@postern/protocol'

export type HookCommand = {
  name: 'hook' | 'hooks' | 'unhook'
  /** The words after the name. */
  words: string[]
  chat: ChatId
  from: AccountId
}

const pattern = /^\/(hook|hooks|unhook)(?:@\S+)?(?:\s+(.*))?$/is

/** `not-for-us`: in a group, without a mention of this bot. Other bots may have commands of these names, too. */
export function parseCommand(json: string, bot: AccountId): HookCommand | 'not-for-us' | undefined {
  const event = JSON.parse(json) as JournalEvent
  if (event.type !== 'message') return undefined
  const { text, from, mentions } = event.message
  const [, name, rest = ''] = pattern.exec(text ?? '') ?? []
  if (name === undefined || !isAccountId(from.id)) return undefined
  const isPrivate = isAccountId(event.chat_id)
  if (!isPrivate && !mentions?.some(({ user }) => user === bot)) return 'not-for-us'
  return {
    name: name.toLowerCase() as HookCommand['name'],
    words: rest.split(/\s+/).filter(word => word !== ''),
    chat: event.chat_id,
    from: from.id,
  }
}
