// Creates, lists and removes hooks, for the API and for commands in a chat.
import type { CreatedHook, Hook } from '@postern/bot-api'
import type { Client, RecordChange } from '@postern/core'
import { type ChatId, CodedError } from '@postern/protocol'
import type { Hooks, NewHook } from './hooks.ts'
import type { HookMemory } from './memory.ts'

export class HookAdmin {
  readonly #client: Client
  readonly #hooks: Hooks
  readonly #memory: HookMemory

  constructor(client: Client, { hooks, memory }: { hooks: Hooks; memory: HookMemory }) {
    this.#client = client
    this.#hooks = hooks
    this.#memory = memory
  }

  /** Throws when the chat does not exist, instead of returning an empty list. */
  list(chat?: ChatId): Hook[] {
    const found = this.#hooks.list(chat)
    if (chat !== undefined && found.length === 0) this.#client.chats.get(chat)
    return found
  }

  async create(wanted: NewHook, withIt?: (made: CreatedHook) => RecordChange[]): Promise<CreatedHook> {
    const { state } = this.#client.chats.get(wanted.chat)
    if (state === 'request') throw new CodedError('chat-is-request')
    if (state === 'left') throw new CodedError('chat-left')
    return await this.#hooks.create(wanted, withIt)
  }

  async removeKnown(id: string): Promise<void> {
    if (!(await this.remove(id))) throw new CodedError('hook-not-found')
  }

  /** Returns whether the hook existed. The memory of its posts is removed with it. */
  async remove(id: string, withIt: RecordChange[] = []): Promise<boolean> {
    const isRemoved = await this.#hooks.remove(id, [...this.#memory.forgetting(id), ...withIt])
    if (isRemoved) this.#memory.forgotten(id)
    return isRemoved
  }
}
