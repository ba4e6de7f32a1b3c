// Buttons under a bot's message: who may put them there, and what they have ever said.
import { assertKept, CodedError, clientLimits, contentLimits, type MessageId, nameFault } from '@postern/protocol'
import type { Button } from '@postern/protocol/content'
import type { Core } from '../context.ts'
import { ownProfile } from '../identity/profile.ts'
import type { Database } from '../storage/database.ts'
import { bodyOf, type MessageRow } from './messages.ts'

export function assertButtons(core: Core, buttons: Button[][]): void {
  if (buttons.length > 0 && !ownProfile(core.store).profile.bot)
    throw new CodedError('bad-field', { field: 'buttons', rule: 'only a bot can put buttons under a message' })
  for (const { text } of buttons.flat()) assertKept('buttons', nameFault(text, contentLimits.buttonTextCharsMax))
}

function dataOf(buttons: Button[][] | undefined): string[] {
  return (buttons ?? []).flat().flatMap(button => ('data' in button ? [button.data] : []))
}

/** Whoever presses while an edit is on its way has pressed what stood there: it must not get lost. */
export function keepOffered(
  database: Database,
  { message, buttons, ts }: { message: MessageId; buttons: Button[][] | undefined; ts: number },
): void {
  for (const data of dataOf(buttons))
    database.run('INSERT OR REPLACE INTO offered_data VALUES (?, ?, ?)', message, data, ts)
  database.run(
    `DELETE FROM offered_data WHERE message_id = ? AND data NOT IN (
       SELECT data FROM offered_data WHERE message_id = ? ORDER BY ts DESC LIMIT ?)`,
    message,
    message,
    clientLimits.offeredDataKept,
  )
}

/** Whether a button with this data stands under the message. */
export function hasButton(row: MessageRow, data: string): boolean {
  const body = bodyOf(row)
  return (body.kind === 'text' || body.kind === 'file') && dataOf(body.buttons).includes(data)
}

/** Or stood there before an edit. */
export const hasOffered = (database: Pick<Database, 'get'>, row: MessageRow, data: string): boolean =>
  hasButton(row, data) ||
  database.get('SELECT 1 FROM offered_data WHERE message_id = ? AND data = ?', row.id, data) !== undefined
