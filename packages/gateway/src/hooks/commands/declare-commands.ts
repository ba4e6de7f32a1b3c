// Lists the hook commands among the bot's commands, until the operator sets other commands.
import type { Client, Records } from '@postern/core'
import { SerialQueue } from '@postern/protocol'
import type { Command } from '@postern/protocol/content'
import { hookCommands } from './words.ts'

/** What was declared last by ourselves: it may differ from what another version declares. */
const KEY = 'commands'

const sameCommands = (a: readonly Command[], json: string): boolean => JSON.stringify(a) === json

export class DeclaredCommands {
  readonly #client: Client
  readonly #records: Records
  /** The list and the note of whose it is are two writes: of two lists set at once, they would not be of the same one. */
  readonly #changes = new SerialQueue()

  constructor(client: Client, records: Records) {
    this.#client = client
    this.#records = records
  }

  /** At a start with hooks. */
  async declare(): Promise<void> {
    const { commands } = this.#client.identity.me()
    const wanted = JSON.stringify(hookCommands)
    if (commands.length > 0 && !this.#areOurs()) return
    if (sameCommands(commands, wanted) && this.#records.get(KEY) === wanted) return
    // Ahead of the list itself: found the other way round after a crash, ours would be taken for the operator's.
    await this.#records.change({ key: KEY, put: wanted })
    await this.#client.identity.setProfile({ commands: hookCommands })
  }

  /** At a start without hooks. */
  async withdraw(): Promise<void> {
    if (this.#records.get(KEY) === undefined) return
    if (this.#areOurs()) await this.#client.identity.setProfile({ commands: [] })
    await this.#records.change({ key: KEY, remove: true })
  }

  /** What the operator sets; nothing brings ours back. */
  async set(commands: Command[]): Promise<void> {
    await this.#changes.run(() => this.#set(commands))
  }

  async #set(commands: Command[]): Promise<void> {
    if (commands.length > 0) {
      await this.#client.identity.setProfile({ commands })
      return await this.#records.change({ key: KEY, remove: true })
    }
    await this.#records.change({ key: KEY, put: JSON.stringify(hookCommands) })
    await this.#client.identity.setProfile({ commands: hookCommands })
  }

  #areOurs(): boolean {
    const declared = this.#records.get(KEY)
    return declared !== undefined && sameCommands(this.#client.identity.me().commands, declared)
  }
}
