// Creates, lists and removes hooks, for the API and for commands in a chat.
import type { CreatedHook, Hook } from '@postern/bot-api'
import type { Client, RecordChange } from '@postern/core'
import { type ChatId, CodedError } from '@postern/protocol'
import type { Hooks, NewHook } from './hooks.ts'
import type { HookRefusals, LastResults } from './last-results.ts'
import type { HookMemory } from './memory.ts'
import { parseTemplate } from './templates/parse-template.ts'

type HookAdminParts = {
  hooks: Hooks
  memory: HookMemory
  last: LastResults
  /** After a kill in between, the next start forgets what is left. */
  living: { forget(hook: string): Promise<void> }
}

export type RefusingHook = HookRefusals & { id: string; chat: ChatId }

export class HookAdmin {
  readonly #client: Client
  readonly #hooks: Hooks
  readonly #memory: HookMemory
  readonly #last: LastResults
  readonly #living: HookAdminParts['living']

  constructor(client: Client, { hooks, memory, last, living }: HookAdminParts) {
    this.#client = client
    this.#last = last
    this.#hooks = hooks
    this.#memory = memory
    this.#living = living
  }

  /** With the end of the last post to each. Throws when the chat does not exist, instead of returning an empty list. */
  list(chat?: ChatId): Hook[] {
    const found = this.#hooks.list(chat)
    if (chat !== undefined && found.length === 0) this.#client.chats.get(chat)
    return found.map(hook => ({ ...hook, ...this.#last.of(hook.id) }))
  }

  /** The hooks whose senders are refused, with how often and since when. */
  refusing(): RefusingHook[] {
    return this.#hooks.list().flatMap(({ id, chat_id: chat }) => {
      const refusals = this.#last.refusalsOf(id)
      return refusals ? [{ id, chat, ...refusals }] : []
    })
  }

  async create(wanted: NewHook, withIt?: (made: CreatedHook) => RecordChange[]): Promise<CreatedHook> {
    if (wanted.template !== undefined) parseTemplate(wanted.template)
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
    const isRemoved = await this.#hooks.remove(id, [
      ...this.#memory.forgetting(id),
      this.#last.forgetting(id),
      ...withIt,
    ])
    if (!isRemoved) return false
    this.#memory.forgotten(id)
    this.#last.forgotten(id)
    await this.#living.forget(id)
    return true
  }
}
