// The view of a message for callers: its content with reactions, edits and receipts.
import type { Message, Person } from '@postern/bot-api/objects'
import type { AccountId, ChatId } from '@postern/protocol'
import { furthestReached, furthestReachedInEach, type ReceiptTimes } from '../chats/records/member-receipts.ts'
import { personOf } from '../identity/people.ts'
import type { ViewContext } from '../kinds/kind.ts'
import { viewKind } from '../kinds/kinds.ts'
import type { ShownMessage } from '../messages/messages.ts'
import { type ReactionRow, reactionsTo } from '../messages/reactions.ts'
import type { Store } from '../storage/transactions/store.ts'

type Reads = Pick<Store, 'get' | 'all'>

export const viewMessage = (reads: Reads, row: ShownMessage, own: AccountId): Message =>
  viewWith(row, { ...aroundOne(reads, row, own), reactions: reactionsTo(reads, [row.id]).get(row.id) ?? [] })

/** A message that was just created has no reactions. */
export const viewNewMessage = (reads: Reads, row: ShownMessage, own: AccountId): Message =>
  viewWith(row, { ...aroundOne(reads, row, own), reactions: [] })

const aroundOne = (reads: Reads, row: ShownMessage, own: AccountId): Omit<WithSaid, 'reactions'> => ({
  reads,
  own,
  person: account => personOf(reads, account),
  status: row.sender === own ? statusOf(row, furthestReached(reads, row.chat_id)) : undefined,
})

type MessagesView = { own: AccountId; person?: KnownPeople; forScreen?: boolean }

/** One query each for all reactions, all receipts and every name. */
export function viewMessages(
  reads: Reads,
  rows: ShownMessage[],
  { own, person = knownPeople(reads), forScreen }: MessagesView,
): Message[] {
  if (rows.length === 0) return []
  const reactions = reactionsTo(
    reads,
    rows.map(row => row.id),
  )
  const reached = reachedIn(reads, rows)
  return rows.map(row =>
    viewWith(row, {
      reads,
      own,
      person,
      forScreen,
      reactions: reactions.get(row.id) ?? [],
      status: row.sender === own ? statusOf(row, reached(row.chat_id)) : undefined,
    }),
  )
}

export type KnownPeople = (account: AccountId) => Person

/** Looks each person up once, and not at all if the person is among those already met. */
export function knownPeople(reads: Reads, met: Iterable<Person> = []): KnownPeople {
  const people = new Map<AccountId, Person>()
  for (const { id, name, bot } of met) people.set(id, { id, name, ...(bot && { bot }) })
  return account => {
    const known = people.get(account) ?? personOf(reads, account)
    people.set(account, known)
    return known
  }
}

type WithSaid = ViewContext & { reactions: ReactionRow[]; status: Message['status'] }

function viewWith(row: ShownMessage, around: WithSaid): Message {
  const { person, reactions, status } = around
  const from = person(row.sender)
  const { buttons, ...said } = viewKind(around, row)
  return {
    id: row.id,
    chat_id: row.chat_id,
    from,
    ts: row.ts,
    ...said,
    // A modified client of any account can put buttons there.
    // The bot mark may come after the message: they are shown from then on.
    ...(buttons && from.bot && { buttons }),
    ...(reactions.length > 0 && {
      reactions: reactions.map(({ account_id, emoji }) => ({ emoji, from: person(account_id) })),
    }),
    ...(row.edited_ts !== null && { edited_ts: row.edited_ts }),
    ...(row.expires_ts !== null && { expires_ts: row.expires_ts }),
    ...(status && { status }),
  }
}

/** In a group, the first member that has received or read a message decides its status. */
function statusOf({ ts }: ShownMessage, { deliveredTs, readTs }: ReceiptTimes): NonNullable<Message['status']> {
  if (readTs >= ts) return 'read'
  return deliveredTs >= ts ? 'delivered' : 'sent'
}

/** One query for one chat, or one for all: a query for each of ten thousand would delay every other caller. */
function reachedIn(reads: Reads, rows: ShownMessage[]): (chat: ChatId) => ReceiptTimes {
  const [first, other] = new Set(rows.map(row => row.chat_id))
  if (first === undefined) return () => nobody
  const inFirst = furthestReached(reads, first)
  if (other === undefined) return () => inFirst
  const inEach = furthestReachedInEach(reads)
  return chat => inEach.get(chat) ?? nobody
}

const nobody: ReceiptTimes = { deliveredTs: 0, readTs: 0 }
