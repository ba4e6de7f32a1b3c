// Making, listing and removing hooks: for the API and for commands in a chat alike.
import type { CreatedHook, Hook } from '@postern/bot-api'
import type { Client, RecordChange } from '@postern/core'
import { type ChatId, CodedError } from '@postern/protocol'
import type { Hooks, NewHook } from './hooks.ts'
import type { HookMemory } from './memory.ts'

export class HookManager {
  readonly #client: Client
  readonly #hooks: Hooks
  readonly #memory: HookMemory

  constructor(client: Client, { hooks, memory }: { hooks: Hooks; memory: HookMemory }) {
    this.#client = client
    this.#hooks = hooks
    this.#memory = memory
  }

  /** Of a chat that does not exist there are none, and it is said so. */
  list(chat?: ChatId): Hook[] {
    const found = this.#hooks.list(chat)
    if (chat !== undefined && found.length === 0) this.#client.chat(chat)
    return found
  }

  async create(wanted: NewHook, withIt?: (made: CreatedHook) => RecordChange[]): Promise<CreatedHook> {
    const { state } = this.#client.chat(wanted.chat)
    if (state === 'request') throw new CodedError('chat-is-request')
    if (state === 'left') throw new CodedError('chat-left')
    return await this.#hooks.create(wanted, withIt)
  }

  async removeKnown(id: string): Promise<void> {
    if (!(await this.remove(id))) throw new CodedError('hook-not-found')
  }

  /** Whether there was one. */
  async remove(id: string, withIt: RecordChange[] = []): Promise<boolean> {
    const isRemoved = await this.#hooks.remove(id, [...this.#memory.forgetting(id), ...withIt])
    if (isRemoved) this.#memory.forgotten(id)
    return isRemoved
  }
}
