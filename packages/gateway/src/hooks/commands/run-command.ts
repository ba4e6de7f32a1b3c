// Executes a hook command and stores its answer in the same write: a crash does not lose the answer.
import { type CreatedHook, hookFormat, language, livingFormats } from '@postern/bot-api'
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
import type { NewHook } from '../hooks.ts'
import { Strangers } from '../strangers.ts'
import { splitText } from '../texts/split.ts'
import type { GatewayWords } from '../words/words.ts'
import type { HookCommand } from './parse-command.ts'

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
  words: GatewayWords['answers']
  clock: Clock
  log: Log
}

/** The word for a hook whose messages notify nobody. */
const SILENT = 'silent'
/** The word for a hook whose messages follow their alerts or their pipeline. */
const LIVING = 'living'

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
    const { admin, words } = this.#parts
    switch (command.name) {
      case 'hook':
        return await this.#create(command, keep)
      case 'hooks':
        return await this.#say(command, { text: words.list(admin.list(command.chat)), keep })
      case 'unhook':
        return await this.#remove(command, keep)
    }
  }

  async #create(command: HookCommand, keep: Keep): Promise<CommandAnswers> {
    const { admin, words } = this.#parts
    const { chat } = command
    if (command.words.length === 0) return await this.#say(command, { text: words.formatMissing, keep })
    const wanted = wantedHook(command.words)
    if (wanted?.format === 'template') return await this.#say(command, { text: words.templateByApi, keep })
    if (!wanted) return await this.#say(command, { text: words.formatUnknown(command.words.join(' ')), keep })
    try {
      let answers: CommandAnswers = { command: chat, each: [] }
      await admin.create({ chat, ...wanted }, hook => {
        answers = { command: chat, each: this.#addressOf(command, hook) }
        return [keep(answers)]
      })
      return answers
    } catch (error) {
      if (isCoded(error, 'hooks-full')) return await this.#say(command, { text: words.tooMany, keep })
      throw error
    }
  }

  /** In a group everybody would read the address: it is sent to the owner alone. */
  #addressOf({ chat, from }: HookCommand, hook: CreatedHook): CommandAnswer[] {
    const { client, words } = this.#parts
    if (isAccountId(chat)) return [{ to: chat, text: words.created(hook), holdsAddress: true }]
    const title = client.chats.get(chat).name
    return [
      { to: privateChatId(from), text: words.createdForGroup(hook, title), holdsAddress: true, orRemove: hook.id },
      { to: chat, text: words.createdInGroup(hook) },
    ]
  }

  async #remove(command: HookCommand, keep: Keep): Promise<CommandAnswers> {
    const { admin, words } = this.#parts
    const [id, ...more] = command.words
    if (id === undefined) return await this.#say(command, { text: words.idMissing, keep })
    const name = id.toLowerCase()
    const answers = answersOf(command, words.removed(name))
    if (more.length === 0 && (await admin.remove(name, [keep(answers)]))) return answers
    return await this.#say(command, { text: words.idUnknown(command.words.join(' ')), keep })
  }

  async #refuse(command: HookCommand, keep: Keep): Promise<CommandAnswers | undefined> {
    if (!this.#strangers.mayAnswer(command.from)) return this.#leaveUnanswered('sender was answered often recently')
    if (await this.#isBot(command.from)) return this.#leaveUnanswered('sender is a bot')
    return await this.#say(command, { text: this.#parts.words.stranger(command.from), keep })
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

/** `alerts`, then in any order `en` for a hook that writes in a language of its own, `silent` and `living`. */
function wantedHook(words: readonly string[]): Omit<NewHook, 'chat'> | undefined {
  const [name, ...options] = words.map(word => word.toLowerCase())
  const format = hookFormat.safeParse(name)
  const [lang, ...more] = options.filter(word => word !== SILENT && word !== LIVING)
  const wanted = language.optional().safeParse(lang)
  const silent = options.includes(SILENT)
  if (!format.success || !wanted.success || more.length > 0 || options.length > new Set(options).size) return undefined
  const isLiving = options.includes(LIVING)
  if (isLiving && !livingFormats.includes(format.data)) return undefined
  return { format: format.data, lang: wanted.data, silent, ...(isLiving && { options: { living: true } }) }
}

type Keep = (answers: CommandAnswers) => RecordChange

const answersOf = ({ chat }: HookCommand, text: string): CommandAnswers => ({
  command: chat,
  each: splitText(text, contentLimits.textCharsMax).map(part => ({ to: chat, text: part })),
})
