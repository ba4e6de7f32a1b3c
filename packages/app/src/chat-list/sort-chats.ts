// The part of the list that a chat belongs to, and the chats that match a search.
import type { ChatLine } from '../contract/objects.ts'

export type Folder = 'chats' | 'archived' | 'requests'
export type SortedChats = Record<Folder, readonly ChatLine[]>

export function sortChats(lines: readonly ChatLine[]): SortedChats {
  const isRequest = (line: ChatLine): boolean => line.state === 'request'
  return {
    requests: lines.filter(isRequest),
    archived: lines.filter(line => line.archived && !isRequest(line)),
    chats: lines.filter(line => !line.archived && !isRequest(line)),
  }
}

/** As people write names when they search: without marks, in lower case. */
const folded = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLocaleLowerCase()

/** Each word of the search begins a word of the name. */
export function findChats(lines: readonly ChatLine[], text: string): ChatLine[] {
  const wanted = folded(text).split(/\s+/).filter(Boolean)
  return lines.filter(({ name }) => {
    const words = folded(name).split(/[\s\p{P}]+/u)
    return wanted.every(part => words.some(word => word.startsWith(part)))
  })
}

/** The reader is never a bot: a bot in a chat of two is the other one. */
export const isBotChat = ({ type, members }: ChatLine): boolean => type === 'private' && members.some(({ bot }) => bot)
