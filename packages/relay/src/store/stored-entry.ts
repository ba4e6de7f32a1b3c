// An entry as databases store it: its kind as a number, the accounts that it names concatenated.
import { ACCOUNT_ID_BYTES, type AccountId, bytesOf, toBase32 } from '@postern/protocol'
import type { MailboxEntry } from '@postern/protocol/relay'
import { entryBytes } from './entry-bytes.ts'

type EntryKind = MailboxEntry['kind']

/** Stored: never renumber. */
export const kindNumbers: Record<EntryKind, number> = { message: 1, commit: 2, welcome: 3, direct: 4, leave: 5 }
const kindNames = new Map(Object.entries(kindNumbers).map(([name, number]) => [number, name as EntryKind]))

export function kindOf(number: number): EntryKind {
  const kind = kindNames.get(number)
  if (!kind) throw new TypeError(`an entry of unknown kind ${number} is in the database`)
  return kind
}

export const joined = (accounts: readonly AccountId[]): Uint8Array | null =>
  accounts.length === 0 ? null : Buffer.concat(accounts.map(bytesOf))

export function accountsIn(stored: Uint8Array | null): AccountId[] {
  if (!stored) return []
  const at = (index: number) => stored.subarray(index * ACCOUNT_ID_BYTES, (index + 1) * ACCOUNT_ID_BYTES)
  return Array.from({ length: stored.length / ACCOUNT_ID_BYTES }, (_, index) => toBase32(at(index)) as AccountId)
}

/** Returns at least one entry if there is any, then as many as fit. */
export function fitting(candidates: Iterable<MailboxEntry>, bytesMax: number): MailboxEntry[] {
  const entries: MailboxEntry[] = []
  let bytes = 0
  for (const entry of candidates) {
    bytes += entryBytes(entry)
    if (bytes > bytesMax && entries.length > 0) break
    entries.push(entry)
  }
  return entries
}
