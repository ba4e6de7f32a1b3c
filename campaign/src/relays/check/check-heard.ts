// The live deliveries to a person, over all connections, equal the mailbox: nothing skipped, nothing twice.
import type { AccountId } from '@postern/protocol'
import type { Finding } from '../../chaos/check/finding.ts'
import { type Kept, type Mailbox, nameOf } from './deed.ts'

export function checkHeard(heard: ReadonlyMap<AccountId, readonly Kept[]>, mailboxes: readonly Mailbox[]): Finding[] {
  return mailboxes.flatMap(({ account, entries }): Finding[] => {
    const told = heard.get(account)
    if (!told) return []
    const at = Array.from({ length: Math.max(told.length, entries.length) }, (_, place) => place).find(
      place => factsAt(told, place) !== factsAt(entries, place),
    )
    if (at === undefined) return []
    const what = `${account} heard ${factsAt(told, at)} where its mailbox has ${factsAt(entries, at)}`
    return [{ wrong: 'different', deed: 'delivery', what }]
  })
}

function factsAt(entries: readonly Kept[], at: number): string {
  const entry = entries[at]
  return entry ? `${entry.cursor} ${nameOf(entry)} ${entry.message}` : 'nothing'
}
