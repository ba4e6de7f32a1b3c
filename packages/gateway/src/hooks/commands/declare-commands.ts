// Lists the hook commands among the bot's commands, until the operator sets other commands.
import type { Client, Records } from '@postern/core'
import { SerialQueue } from '@postern/protocol'
import type { Command } from '@postern/protocol/content'
import { chatFormats, shownChoices } from '../words/choices.ts'
import type { GatewayWords } from '../words/words.ts'

/** The list that this gateway declared last: another version or language declares a different one. */
const KEY = 'commands'

const sameCommands = (a: readonly Command[], json: string): boolean => JSON.stringify(a) === json

/** The commands that people see in the bot's list. `/hook` without a format answers with all formats. */
const hookCommands = ({ descriptions }: GatewayWords): Command[] => [
  { name: 'hook', description: descriptions.hook, args: shownChoices(chatFormats) },
  { name: 'hooks', description: descriptions.hooks },
  { name: 'unhook', description: descriptions.unhook, args: 'id' },
]

export class DeclaredCommands {
  readonly #client: Client
  readonly #records: Records
  readonly #ours: Command[]
  /** The list and the note of its owner are two writes: two concurrent changes would leave them inconsistent. */
  readonly #changes = new SerialQueue()

  constructor(client: Client, records: Records, words: GatewayWords) {
    this.#client = client
    this.#records = records
    this.#ours = hookCommands(words)
  }

  /** At a start with hooks. */
  async declare(): Promise<void> {
    const { commands } = this.#client.identity.me()
    const wanted = JSON.stringify(this.#ours)
    if (commands.length > 0 && !this.#areOurs()) return
    if (sameCommands(commands, wanted) && this.#records.get(KEY) === wanted) return
    // Before the list itself: after a crash in the other order, our list would look like the operator's.
    await this.#records.change({ key: KEY, put: wanted })
    await this.#client.identity.setProfile({ commands: this.#ours })
  }

  /** At a start without hooks. */
  async withdraw(): Promise<void> {
    if (this.#records.get(KEY) === undefined) return
    if (this.#areOurs()) await this.#client.identity.setProfile({ commands: [] })
    await this.#records.change({ key: KEY, remove: true })
  }

  /** Sets the operator's list; ours is never restored. */
  async set(commands: Command[]): Promise<void> {
    await this.#changes.run(() => this.#set(commands))
  }

  async #set(commands: Command[]): Promise<void> {
    if (commands.length > 0) {
      await this.#client.identity.setProfile({ commands })
      return await this.#records.change({ key: KEY, remove: true })
    }
    await this.#records.change({ key: KEY, put: JSON.stringify(this.#ours) })
    await this.#client.identity.setProfile({ commands: this.#ours })
  }

  #areOurs(): boolean {
    const declared = this.#records.get(KEY)
    return declared !== undefined && sameCommands(this.#client.identity.me().commands, declared)
  }
}
