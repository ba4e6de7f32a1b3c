// Typing and streamed drafts: sends them, and shows those of others. They are in no journal.
import type { Person } from '@postern/bot-api/objects'
import type { ChatId, TimeoutOption } from '@postern/protocol'
import type { Core } from '../context.ts'
import { personOf } from '../identity/people.ts'
import { type NewDraft, sendDraft, sendTyping } from '../outbox/send-typing.ts'
import { type DraftWords, draftWords } from '../typing/draft-text.ts'
import type { Callers } from './callers.ts'

export type TypingPerson = { chat: ChatId; person: Person }
export type PersonDraft = DraftWords & { person: Person }
export type TypingEvent = TypingPerson & ({ state: 'typing' | 'ended' } | { state: 'drafting'; draft: DraftWords })

export class ClientTyping {
  readonly #core: Core
  readonly #callers: Callers

  constructor(core: Core, callers: Callers) {
    this.#core = core
    this.#callers = callers
  }

  /** The others see it for some seconds, until this account's next message. Sent at most once in some seconds. */
  async send(id: ChatId, within: TimeoutOption): Promise<void> {
    await sendTyping(this.#core, id, this.#callers.deadline(within))
  }

  /**
   * The others see the text until this account's next message, or for half a minute. Sent at most twice a second:
   * a call that comes earlier does nothing.
   */
  async sendDraft(id: ChatId, draft: NewDraft, within: TimeoutOption): Promise<void> {
    await sendDraft(this.#core, id, { ...draft, deadline: this.#callers.deadline(within) })
  }

  /** The texts that others are making in a chat. The topic `draft:` of the chat is touched when they change. */
  drafts(chat: ChatId): PersonDraft[] {
    const { typists, store } = this.#core
    return typists
      .drafts(chat)
      .map(({ account, draft }) => ({ person: personOf(store, account), ...draftWords(draft) }))
  }

  /** Those who type now, in the order in which they began. The topic `typing` is touched when they change. */
  now(): TypingPerson[] {
    return this.#core.typists.now().map(({ chat, account }) => ({ chat, person: personOf(this.#core.store, account) }))
  }

  onChange(listener: (event: TypingEvent) => void): () => void {
    return this.#core.typists.onChange(({ chat, account, ...change }) => {
      const about = { chat, person: personOf(this.#core.store, account) }
      if (change.state === 'drafting') listener({ ...about, state: change.state, draft: draftWords(change.draft) })
      else listener({ ...about, state: change.state })
    })
  }
}
