// The newest cursors of mailboxes that are read as they grow: whoever is caught up is served without a look into the database.
import { relayFixedLimits } from '@postern/protocol'

/** All that is in the mailbox behind `after`, in order. */
type Tail = { after: number; cursors: number[] }

export class MailboxTails {
  readonly #accountsMax: number
  readonly #tails = new Map<number, Tail>()
  /** Of the transaction that is under way: an account, then its cursor, and so on. */
  #uncommitted: number[] = []

  constructor(accountsMax: number) {
    this.#accountsMax = accountsMax
  }

  /** The cursors behind `after`, oldest first; undefined when only the database knows. */
  read(account: number, after: number): number[] | undefined {
    const tail = this.#tails.get(account)
    if (!tail || after < tail.after) return undefined
    const { cursors } = tail
    let first = cursors.length
    while (first > 0 && (cursors[first - 1] ?? 0) > after) first -= 1
    return cursors.slice(first)
  }

  /** What the database has behind `after`, up to the end of the mailbox. */
  keep(account: number, after: number, cursors: readonly number[]): void {
    // All at once: to find the one that was read last would cost every reader more than this does.
    if (this.#tails.size >= this.#accountsMax) this.#tails.clear()
    const tail: Tail = { after, cursors: [] }
    this.#tails.set(account, tail)
    for (const cursor of cursors) append(tail, cursor)
  }

  /** A mailbox grows, if its transaction is committed. */
  grow(account: number, cursor: number): void {
    if (this.#tails.has(account)) this.#uncommitted.push(account, cursor)
  }

  committed(): void {
    const grown = this.#uncommitted
    if (grown.length === 0) return
    this.#uncommitted = []
    for (let at = 0; at < grown.length; at += 2) {
      const tail = this.#tails.get(grown[at] as number)
      if (tail) append(tail, grown[at + 1] as number)
    }
  }

  rolledBack(): void {
    this.#uncommitted = []
  }

  /** When something goes from mailboxes. */
  forget(): void {
    this.#tails.clear()
  }
}

/** Past so many the oldest goes: whoever is that far behind reads from the database. */
function append(tail: Tail, cursor: number): void {
  tail.cursors.push(cursor)
  if (tail.cursors.length <= relayFixedLimits.mailboxTailMax) return
  tail.after = Math.max(tail.after, tail.cursors.shift() ?? 0)
}
