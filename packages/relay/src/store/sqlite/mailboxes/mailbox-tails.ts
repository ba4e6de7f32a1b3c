// The newest cursors of mailboxes: a reader that is caught up is served without a database read.
import { relayFixedLimits } from '@postern/protocol'

/** Everything in the mailbox after `after`, in order. */
type Tail = { after: number; cursors: number[] }

export class MailboxTails {
  readonly #accountsMax: number
  readonly #tails = new Map<number, Tail>()
  /** From the current transaction: account and cursor alternate. */
  #uncommitted: number[] = []

  constructor(accountsMax: number) {
    this.#accountsMax = accountsMax
  }

  /** The cursors after `after`, oldest first; undefined if only the database has them. */
  read(account: number, after: number): number[] | undefined {
    const tail = this.#tails.get(account)
    if (!tail || after < tail.after) return undefined
    const { cursors } = tail
    let first = cursors.length
    while (first > 0 && (cursors[first - 1] ?? 0) > after) first -= 1
    return cursors.slice(first)
  }

  /** Caches the database's cursors after `after`, up to the end of the mailbox. */
  keep(account: number, after: number, cursors: readonly number[]): void {
    // Clears everything: finding the least recently used entry would cost every reader more.
    if (this.#tails.size >= this.#accountsMax) this.#tails.clear()
    const tail: Tail = { after, cursors: [] }
    this.#tails.set(account, tail)
    for (const cursor of cursors) append(tail, cursor)
  }

  /** The mailbox grows if the transaction is committed. */
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

  /** Called when entries are removed from mailboxes. */
  forget(): void {
    this.#tails.clear()
  }
}

/** Beyond the limit the oldest is dropped: a reader that far behind uses the database. */
function append(tail: Tail, cursor: number): void {
  tail.cursors.push(cursor)
  if (tail.cursors.length <= relayFixedLimits.mailboxTailMax) return
  tail.after = Math.max(tail.after, tail.cursors.shift() ?? 0)
}
