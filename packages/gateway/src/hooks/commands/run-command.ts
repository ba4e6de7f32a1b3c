// Executes a hook command and stores its answer in the same write: a crash does not lose the answer.
import { type CreatedHook, hookFormat } from '@postern/bot-api'
import type { Client, RecordChange, Records } from '@postern/core'
import {
  type AccountId,
  type ChatId,
  type Clock,
  contentLimits,
  hookLimits,
  isAccountId,
  isCoded,
  type Log,
  privateChatId,
} from '@postern/protocol'
import type { HookAdmin } from '../hook-admin.ts'
import { splitText } from '../texts/split.ts'
import type { HookCommand } from './parse-command.ts'
import { Strangers } from './strangers.ts'
import {
  createdForGroupText,
  createdInGroupText,
  createdText,
  formatMissingText,
  formatUnknownText,
  idMissingText,
  idUnknownText,
  listText,
  removedText,
  strangerText,
  tooManyText,
} from './words.ts'

/**
 * `holdsAddress`: the message is erased later. `orRemove`: the hook whose address this contains. If the answer cannot
 * be delivered, nobody knows the hook, and it is removed.
 */
export type CommandAnswer = { to: ChatId; text: string; holdsAddress?: true; orRemove?: string }
export type CommandAnswers = { command: ChatId; each: CommandAnswer[] }

export type CommandParts = {
  client: Client
  admin: HookAdmin
  records: Records
  owners: readonly AccountId[]
  clock: Clock
  log: Log
}

export class HookCommands {
  readonly #parts: CommandParts
  readonly #strangers: Strangers

  constructor(parts: CommandParts) {
    this.#parts = parts
    this.#strangers = new Strangers(parts.clock)
  }

  /** `keep` returns the record under which the answers are found again. A command that is not answered leaves no record. */
  async run(
    command: HookCommand,
    keep: (answers: CommandAnswers) => RecordChange,
  ): Promise<CommandAnswers | undefined> {
    if (!this.#parts.owners.includes(command.from)) return await this.#refuse(command, keep)
    switch (command.name) {
      case 'hook':
        return await this.#create(command, keep)
      case 'hooks':
        return await this.#say(command, { text: listText(this.#parts.admin.list(command.chat)), keep })
      case 'unhook':
        return await this.#remove(command, keep)
    }
  }

  async #create(command: HookCommand, keep: Keep): Promise<CommandAnswers> {
    const { chat, words } = command
    const [word, ...more] = words
    if (word === undefined) return await this.#say(command, { text: formatMissingText, keep })
    const format = hookFormat.safeParse(word.toLowerCase())
    if (!format.success || more.length > 0)
      return await this.#say(command, { text: formatUnknownText(words.join(' ')), keep })
    try {
      let answers: CommandAnswers = { command: chat, each: [] }
      await this.#parts.admin.create({ chat, format: format.data }, hook => {
        answers = { command: chat, each: this.#addressOf(command, hook) }
        return [keep(answers)]
      })
      return answers
    } catch (error) {
      if (isCoded(error, 'hooks-full')) return await this.#say(command, { text: tooManyText, keep })
      throw error
    }
  }

  /** In a group everybody would read the address: it is sent to the owner alone. */
  #addressOf({ chat, from }: HookCommand, hook: CreatedHook): CommandAnswer[] {
    if (isAccountId(chat)) return [{ to: chat, text: createdText(hook), holdsAddress: true }]
    const title = this.#parts.client.chats.get(chat).name
    return [
      { to: privateChatId(from), text: createdForGroupText(hook, title), holdsAddress: true, orRemove: hook.id },
      { to: chat, text: createdInGroupText(hook) },
    ]
  }

  async #remove(command: HookCommand, keep: Keep): Promise<CommandAnswers> {
    const [id, ...more] = command.words
    if (id === undefined) return await this.#say(command, { text: idMissingText, keep })
    const name = id.toLowerCase()
    const answers = answersOf(command, removedText(name))
    if (more.length === 0 && (await this.#parts.admin.remove(name, [keep(answers)]))) return answers
    return await this.#say(command, { text: idUnknownText(command.words.join(' ')), keep })
  }

  async #refuse(command: HookCommand, keep: Keep): Promise<CommandAnswers | undefined> {
    if (!this.#strangers.mayAnswer(command.from)) return this.#leaveUnanswered('sender was answered often recently')
    if (await this.#isBot(command.from)) return this.#leaveUnanswered('sender is a bot')
    return await this.#say(command, { text: strangerText(command.from), keep })
  }

  #leaveUnanswered(why: string): undefined {
    this.#parts.log.debug({ why }, 'hook command ignored: sender is not an owner')
  }

  /** Two bots that answer each other would never stop. The profile of a new account must be fetched first. */
  async #isBot(account: AccountId): Promise<boolean> {
    const { client } = this.#parts
    const within = { timeoutMs: hookLimits.answerWithinMs }
    const { bot } = await client.identity.learnProfile(account, within).catch(() => client.identity.profileOf(account))
    return bot
  }

  async #say(command: HookCommand, { text, keep }: { text: string; keep: Keep }): Promise<CommandAnswers> {
    const answers = answersOf(command, text)
    await this.#parts.records.change(keep(answers))
    return answers
  }
}

type Keep = (answers: CommandAnswers) => RecordChange

const answersOf = ({ chat }: HookCommand, text: string): CommandAnswers => ({
  command: chat,
  each: splitText(text, contentLimits.textCharsMax).map(part => ({ to: chat, text: part })),
})
