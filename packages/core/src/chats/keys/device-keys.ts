// The device key of each person, as the groups have proved it. A changed key is reported.
import type { Notice } from '@postern/bot-api/events'
import type { Member } from '@postern/mls'
import { type AccountId, type ChatId, clientLimits } from '@postern/protocol'
import type { Core } from '../../context.ts'
import { noteDevice } from '../../identity/devices.ts'
import { personOf } from '../../identity/people.ts'
import type { Database } from '../../storage/database.ts'
import { emitNotice } from '../notices.ts'

export function noteDeviceKeys(
  core: Pick<Core, 'own' | 'elapsed'>,
  database: Database,
  { members, ts }: { members: Pick<Member, 'accountId' | 'devicePublicKey' | 'serial'>[]; ts: number },
): void {
  for (const { accountId, ...device } of members) {
    if (accountId === core.own.id) continue
    if (noteDevice(database, accountId, device) === 'changed') tellChanged(core, database, { account: accountId, ts })
  }
}

/** Reported in every chat shared with that person: the new key may have appeared in a chat that is not shown. */
function tellChanged(
  core: Pick<Core, 'elapsed'>,
  database: Database,
  { account, ts }: { account: AccountId; ts: number },
): void {
  const chats = database.all<{ id: ChatId }>(
    `SELECT chat.id FROM member JOIN chat ON chat.id = member.chat_id
     WHERE member.account_id = ? AND chat.visible = 1 AND chat.state = 'active' AND chat.blocked = 0
     ORDER BY chat.type = 'private' DESC, chat.id LIMIT 0 + ?`,
    account,
    clientLimits.keyChangeToldChatsMax,
  )
  const notice: Notice = { code: 'key_changed', from: personOf(database, account) }
  for (const { id } of chats) emitNotice(core, database, { chat: id, notice, ts })
}
