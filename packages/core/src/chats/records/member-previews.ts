// Which members want the words of messages in their notifications: a column of the members' table, from their greetings.
import type { AccountId, ChatId } from '@postern/protocol'
import type { Database } from '../../storage/database.ts'
import type { Store } from '../../storage/transactions/store.ts'

/** The last greeting of a member counts. There is one bit for each member, however often it changes. */
export function noteMemberWish(
  database: Database,
  chat: ChatId,
  { account, wanted }: { account: AccountId; wanted: boolean },
): void {
  const previews = wanted ? 1 : 0
  database.run(
    'UPDATE member SET previews = ? WHERE chat_id = ? AND account_id = ? AND previews <> ?',
    previews,
    chat,
    account,
    previews,
  )
}

/** Whether anybody else in the chat wants them. */
export const arePreviewsWanted = (reads: Pick<Store, 'get'>, chat: ChatId, own: AccountId): boolean =>
  reads.get(
    'SELECT 1 FROM member WHERE chat_id = ? AND previews = 1 AND leaving = 0 AND account_id <> ? LIMIT 1',
    chat,
    own,
  ) !== undefined
