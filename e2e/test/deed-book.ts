// The requests and acknowledgements of each message, and so its possible final states.
import type { Message } from '@postern/bot-api/objects'
import { expect } from 'vitest'
import type { Deed, Outcome } from './killable-actors.ts'

/** The last value that was acknowledged, and those in doubt since then. */
export class Value {
  #possible: string[]
  readonly acknowledged: string[] = []

  constructor(first: string) {
    this.#possible = [first]
  }

  take(value: string, outcome: Outcome): void {
    if (outcome.kind === 'refused') return
    if (outcome.kind === 'in-doubt') return void this.#possible.push(value)
    this.#possible = [value]
    this.acknowledged.push(value)
  }

  get possible(): readonly string[] {
    return this.#possible
  }
}

export class Entry {
  readonly id: string
  readonly author: string
  readonly words: Value
  readonly presence = new Value('there')
  readonly #reactions = new Map<string, Value>()
  /** Changes in progress: one at a time, so that the order of the acknowledgements is the order of the deeds. */
  readonly busy = new Set<string>()

  constructor(message: { id: string; text?: string }, author: string) {
    this.id = message.id
    this.author = author
    this.words = new Value(message.text ?? '')
  }

  reactionOf(account: string): Value {
    const value = this.#reactions.get(account) ?? new Value('')
    this.#reactions.set(account, value)
    return value
  }

  take(deed: Deed, account: string, outcome: Outcome): void {
    if (deed.kind === 'edit') this.words.take(deed.text, outcome)
    if (deed.kind === 'erase') this.presence.take('gone', outcome)
    if (deed.kind === 'react') this.reactionOf(account).take(deed.emoji, outcome)
  }

  check(message: Message | undefined): void {
    expect(this.presence.possible, `presence of ${this.id}`).toContain(message ? 'there' : 'gone')
    if (!message) return
    expect(this.words.possible, `words of ${this.id}`).toContain(message.text)
    for (const [account, value] of this.#reactions) {
      const emoji = message.reactions?.find(reaction => reaction.from.id === account)?.emoji ?? ''
      expect(value.possible, `reaction of ${account} to ${this.id}`).toContain(emoji)
    }
  }

  get reactions(): ReadonlyMap<string, Value> {
    return this.#reactions
  }
}

/** The messages of one chat, from the moment that anybody knows of them. */
export class DeedBook {
  readonly entries = new Map<string, Entry>()

  meet(message: { id: string; text?: string }, author: string): Entry {
    const entry = this.entries.get(message.id) ?? new Entry(message, author)
    this.entries.set(message.id, entry)
    return entry
  }
}
