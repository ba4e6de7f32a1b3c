// The device key of each person, as the groups have proved it: whoever comes with another one is told of.
import type { Member } from '@postern/mls'
import { type AccountId, type ChatId, equalBytes } from '@postern/protocol'
import type { Core } from '../context.ts'
import { personOf } from '../identity/people.ts'
import { appendEvent } from '../journal/journal.ts'
import type { Database } from '../storage/database.ts'

/** Of a person with whom one shares more: the first are enough to notice. */
const TOLD_CHATS_MAX = 100

export function noteDeviceKeys(
  core: Core,
  database: Database,
  members: Pick<Member, 'accountId' | 'devicePublicKey'>[],
): void {
  for (const { accountId, devicePublicKey } of members) {
    if (accountId === core.own.id) continue
    const known = database.get<{ device_key: Uint8Array | null }>(
      'SELECT device_key FROM person WHERE account_id = ?',
      accountId,
    )
    if (known?.device_key && equalBytes(known.device_key, devicePublicKey)) continue
    database.run(
      `INSERT INTO person (account_id, device_key) VALUES (?, ?)
       ON CONFLICT DO UPDATE SET device_key = excluded.device_key`,
      accountId,
      devicePublicKey,
    )
    if (known?.device_key) tellChanged(core, database, accountId)
  }
}

/** Wherever one meets that person: the new key may have come to light in a chat that nobody is shown. */
function tellChanged(core: Core, database: Database, account: AccountId): void {
  const chats = database.all<{ id: ChatId }>(
    `SELECT chat.id FROM member JOIN chat ON chat.id = member.chat_id
     WHERE member.account_id = ? AND chat.visible = 1 AND chat.state = 'active' ORDER BY chat.id LIMIT ?`,
    account,
    TOLD_CHATS_MAX,
  )
  const notice = { code: 'key_changed' as const, from: personOf(database, account) }
  for (const { id } of chats) appendEvent(core, database, { type: 'notice', chat_id: id, notice })
}
