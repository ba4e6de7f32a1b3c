// Buttons under a bot's message: which accounts may add them, and the data that they have ever offered.
import { assertKept, buttonsFault, CodedError } from '@postern/protocol'
import type { Button } from '@postern/protocol/content'
import { ownProfile } from '../identity/profile.ts'
import { bodyOf, type MessageRow } from '../messages/messages.ts'
import { wasOffered } from '../messages/offered-data.ts'
import type { Database } from '../storage/database.ts'
import type { ValidateContext } from './kind.ts'

export function assertButtons({ store }: Pick<ValidateContext, 'store'>, buttons: Button[][]): void {
  if (buttons.length > 0 && !ownProfile(store).profile.bot)
    throw new CodedError('bad-field', { field: 'buttons', rule: 'can only be sent by a bot' })
  assertKept('buttons', buttonsFault(buttons))
}

export const dataOf = (buttons: Button[][] | undefined): string[] =>
  (buttons ?? []).flat().flatMap(button => ('data' in button ? [button.data] : []))

/** Whether the message has a button with this data. */
export function hasButton(row: MessageRow, data: string): boolean {
  const body = bodyOf(row)
  return (body.kind === 'text' || body.kind === 'file' || body.kind === 'poll') && dataOf(body.buttons).includes(data)
}

/** Whether the message has a button with this data, or had one before an edit. */
export const hasOffered = (reads: Pick<Database, 'get'>, row: MessageRow, data: string): boolean =>
  hasButton(row, data) || wasOffered(reads, row.id, data)
