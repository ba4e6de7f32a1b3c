// How a message looks from outside: its content with everything that was said about it.
import type { Message, Person } from '@postern/bot-api/objects'
import type { AccountId, ChatId } from '@postern/protocol'
import { furthestReached } from '../chats/member-receipts.ts'
import { personOf } from '../identity/people.ts'
import type { Around } from '../kinds/kind.ts'
import { viewKind } from '../kinds/kinds.ts'
import type { MessageRow } from '../messages/messages.ts'
import { type ReactionRow, reactionsTo } from '../messages/reactions.ts'
import type { Store } from '../storage/store.ts'

type Reads = Pick<Store, 'get' | 'all'>

export const viewMessage = (reads: Reads, row: MessageRow, own: AccountId): Message =>
  viewWith(row, {
    reads,
    own,
    person: account => personOf(reads, account),
    reactions: reactionsTo(reads, [row.id]).get(row.id) ?? [],
    status: row.sender === own ? statusIn(reads, row.chat_id)(row) : undefined,
  })

/** Messages of one chat: one look at its reactions, its receipts and each name. */
export function viewMessages(reads: Reads, rows: MessageRow[], own: AccountId): Message[] {
  const [first] = rows
  if (!first) return []
  const reactions = reactionsTo(
    reads,
    rows.map(row => row.id),
  )
  const status = statusIn(reads, first.chat_id)
  const people = new Map<AccountId, Person>()
  const person = (account: AccountId): Person => {
    const known = people.get(account) ?? personOf(reads, account)
    people.set(account, known)
    return known
  }
  return rows.map(row =>
    viewWith(row, {
      reads,
      own,
      person,
      reactions: reactions.get(row.id) ?? [],
      status: row.sender === own ? status(row) : undefined,
    }),
  )
}

type WithSaid = Around & { reactions: ReactionRow[]; status: Message['status'] }

function viewWith(row: MessageRow, around: WithSaid): Message {
  const { person, reactions, status } = around
  return {
    id: row.id,
    chat_id: row.chat_id,
    from: person(row.sender),
    ts: row.ts,
    ...viewKind(around, row),
    ...(reactions.length > 0 && {
      reactions: reactions.map(({ account_id, emoji }) => ({ emoji, from: person(account_id) })),
    }),
    ...(row.edited_ts !== null && { edited_ts: row.edited_ts }),
    ...(row.expires_ts !== null && { expires_ts: row.expires_ts }),
    ...(status && { status }),
  }
}

/** In a group a message counts as delivered, and as read, with the first member. */
function statusIn(reads: Reads, chat: ChatId): (row: MessageRow) => NonNullable<Message['status']> {
  const { deliveredTs, readTs } = furthestReached(reads, chat)
  return row => {
    if (readTs >= row.ts) return 'read'
    return deliveredTs >= row.ts ? 'delivered' : 'sent'
  }
}
