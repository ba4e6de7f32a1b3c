// The events that a party receives, and everything that the book knows.
import type { Changed, Said } from './deeds.ts'

type Person = { id: string }
/**
 * An update of an operator, under its `id`, or an event of a person, in the `life` of its process. Either may be
 * repeated.
 */
export type ToldEvent = {
  id?: number
  life?: number | undefined
  type: string
  chat_id: string
  message?: { id: string; text?: string | undefined; poll?: { closed: boolean } }
  deleted?: { message_id: string }
  reaction?: { message_id: string; from: Person; emoji: string }
  receipt?: { message_id: string; from: Person; status: string }
  expired?: readonly string[]
  toast?: { press_id: string }
  notice?: { code: string; text?: string; members?: readonly Person[] }
}

/** A chat that another member created, and the codes of the notices that its members get. */
export type OpenedChat = { room: string; chat: string; notices: readonly string[] }
/** `chats`: by the name of each room of the party, the id under which the party knows it. */
export type Hearer = {
  party: string
  isBot: boolean
  chats: ReadonlyMap<string, string>
  opened: readonly OpenedChat[]
  events: readonly ToldEvent[]
}
type ClosedPoll = { tag: string; id: string; room: string; by: string }
/** `accounts`: the account ids of the members of each room, by their names. */
export type Happened = {
  said: readonly Said[]
  polls: readonly ClosedPoll[]
  values: readonly Changed[]
  gone: ReadonlySet<string>
  accounts: ReadonlyMap<string, ReadonlyMap<string, string>>
}

/** The changed item, under its name in the book, and its new value. */
export function stepsIn({ type, chat_id: chat, message, deleted, reaction, notice }: ToldEvent): [string, string][] {
  if (type === 'edited' && message) return [[`words of ${message.id}`, message.text ?? '']]
  if (type === 'deleted' && deleted) return [[`presence of ${deleted.message_id}`, 'gone']]
  if (type === 'reaction' && reaction)
    return [[`reaction of ${reaction.from.id} to ${reaction.message_id}`, reaction.emoji]]
  if (type !== 'notice' || !notice) return []
  if (notice.code === 'renamed') return [[`title of ${chat}`, notice.text ?? '']]
  const place = { joined: 'in', removed: 'out' }[notice.code]
  return place === undefined ? [] : (notice.members ?? []).map(({ id }) => [`place of ${id} in ${chat}`, place])
}
