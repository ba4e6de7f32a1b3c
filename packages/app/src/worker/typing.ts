// Typing, in both directions, if the owner wants it.
import type { Client } from '@postern/core'
import { appLimits, type ChatId, isCoded } from '@postern/protocol'
import type { AppSettings } from './settings.ts'

export class TypingSwitch {
  readonly #client: Client
  readonly #settings: AppSettings

  constructor(client: Client, settings: AppSettings) {
    this.#client = client
    this.#settings = settings
  }

  /** The names by chat, in the order in which they began. */
  names(): Record<string, string[]> {
    const typing = this.#settings.get().typing ? this.#client.typing.now() : []
    const byChat = Map.groupBy(typing, ({ chat }) => chat)
    return Object.fromEntries([...byChat].map(([chat, some]) => [chat, some.map(({ person }) => person.name)]))
  }

  /** A failure loses nothing: a message follows, or the person has stopped. */
  async tell(chat: ChatId): Promise<void> {
    if (!this.#settings.get().typing || !this.#client.isOnline) return
    try {
      await this.#client.typing.send(chat, { timeoutMs: appLimits.callTimeoutMs })
    } catch (error) {
      if (!isCoded(error)) throw error
    }
  }
}
