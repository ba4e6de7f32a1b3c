// The existing objects of the gateway: valid ids, so that only the mutated part is wrong.
import type { HookFormat } from '@postern/bot-api'

type KnownMessage = { chat: string; id: string }
export type MessageKind = 'text' | 'poll' | 'file'

export type Known = {
  token: string
  alice: string
  chats: string[]
  messages: KnownMessages
  /** By their numbers in the Telegram Bot API. */
  telegramMessages: KnownMessages
  presses: string[]
  hooks: { secret: string; format: HookFormat }[]
  /** May be deleted. */
  spareHooks: string[]
  /** May be revoked. */
  spareInvites: string[]
  /** Tokens that may be revoked. */
  spareTokens: string[]
}

const KEPT_MAX = 100

/** The newest of each kind; at least one, which may be deleted by now. */
export class KnownMessages {
  readonly #kept: Record<MessageKind, KnownMessage[]> = { text: [], poll: [], file: [] }

  add(kind: MessageKind, message: KnownMessage): void {
    const kept = this.#kept[kind]
    kept.push(message)
    if (kept.length > KEPT_MAX) kept.shift()
  }

  of(kind: MessageKind | 'any'): KnownMessage[] {
    return kind === 'any' ? Object.values(this.#kept).flat() : this.#kept[kind]
  }
}
