// The questions of agents: asked once for each key, answered by a person, and waited for a limited time.
import { createHash, randomBytes } from 'node:crypto'
import { apiErrorOf } from '@postern/bot-api'
import {
  type AccountId,
  type ChatId,
  CodedError,
  Deferred,
  isAccountId,
  isCoded,
  Notifier,
  toBase32,
} from '@postern/protocol'
import type { McpContext } from '../mcp-context.ts'
import { ANSWER_READER, MCP_SHELF } from '../stored-names.ts'
import type { Ask } from './ask.ts'
import { AskKeeper } from './ask-keeper.ts'
import { AskStore } from './ask-store.ts'
import { AnswerReader } from './read-answers.ts'
import { Toasts } from './toasts.ts'

export type NewAsk = {
  chat: ChatId
  question: string
  options: string[]
  freeText: boolean
  from: AccountId[] | undefined
  expiresMinutes: number
  key: string | undefined
}

export class Asks {
  readonly #context: McpContext
  readonly #store: AskStore
  readonly #keeper: AskKeeper
  readonly #reader: AnswerReader
  readonly #toasts: Toasts
  readonly #changed = new Notifier()
  #isReleased = false

  private constructor(context: McpContext) {
    this.#context = context
    this.#store = new AskStore(context.client.records(MCP_SHELF))
    this.#toasts = new Toasts(context)
    const changed = () => {
      this.#changed.notify()
      this.#keeper.look()
    }
    this.#keeper = new AskKeeper(context, {
      store: this.#store,
      onChange: () => this.#changed.notify(),
      isCaughtUp: () => this.#reader.isCaughtUp,
    })
    this.#reader = new AnswerReader(context, {
      store: this.#store,
      toasts: this.#toasts,
      onAnswer: changed,
    })
  }

  /** A new reader begins with future entries: earlier presses were meant for others. */
  static async open(context: McpContext): Promise<Asks> {
    const { journal } = context.client
    if (journal.readerState(ANSWER_READER) === undefined) await journal.setReaderState(ANSWER_READER, '{}')
    return new Asks(context)
  }

  get openCount(): number {
    return this.#store.openCount
  }

  start(): void {
    this.#reader.start()
    this.#keeper.start()
  }

  /** At the stop: all waits end, and their callers get the current state. */
  release(): void {
    this.#isReleased = true
    this.#changed.notify()
  }

  async stop(): Promise<void> {
    const reason = new CodedError('stopping')
    this.#toasts.stop(reason)
    await this.#reader.stop(reason)
    await this.#keeper.stop(reason)
  }

  /** The row is durable before the question is sent. Throws if no retry could bring the question to the chat. */
  async ask(asked: NewAsk): Promise<Ask> {
    const added = this.#store.repeated(identityOf(asked)) ?? (await this.#store.add(this.#newAsk(asked)))
    if (added.message || added.state.kind !== 'open') return added
    try {
      await this.#keeper.deliver(added.id)
    } catch (error) {
      // It stays, and is sent as soon as the relay can be reached.
      if (apiErrorOf(error).code !== 'unavailable') {
        await this.#store.remove(added.id)
        throw error
      }
      this.#keeper.look()
    }
    return this.get(added.id)
  }

  get(id: string): Ask {
    const ask = this.#store.find(id)
    if (!ask || !this.#context.chats.includes(ask.chat))
      throw new CodedError('bad-field', { field: 'ask_id', rule: 'is not the id of a question' })
    return ask
  }

  /** Returns as soon as the question is over, and at this time of the steady clock at the latest. */
  async wait(id: string, { untilMs, gone }: { untilMs: number; gone: AbortSignal }): Promise<Ask> {
    for (;;) {
      const ask = this.get(id)
      const leftMs = untilMs - this.#context.clock.monotonicMs()
      if (ask.state.kind !== 'open' || leftMs <= 0 || gone.aborted || this.#isReleased) return ask
      const woken = new Deferred()
      const wake = () => woken.resolve()
      woken.after(this.#context.clock, leftMs, wake)
      woken.onAbort(gone, wake)
      woken.onSettled(this.#changed.listen(wake))
      await woken.promise
    }
  }

  /** A question that is over stays as it is. */
  async cancel(id: string): Promise<Ask> {
    this.get(id)
    const overMs = this.#context.client.elapsed.nowMs()
    let isNew = false
    await this.#store.change(id, now => {
      if (now.state.kind !== 'open') return now
      isNew = true
      return { ...now, state: { kind: 'cancelled' }, overMs }
    })
    if (isNew) this.#context.metrics.asks.add('cancelled')
    this.#changed.notify()
    this.#keeper.look()
    return this.get(id)
  }

  #newAsk(asked: NewAsk): Ask {
    const { chat, question, options, freeText, from, expiresMinutes } = asked
    const { client, clock } = this.#context
    const askedMs = client.elapsed.nowMs()
    return {
      id: `q_${toBase32(randomBytes(10))}`,
      chat,
      question,
      options,
      freeText: freeText || options.length === 0,
      from: this.#deciders(chat, from),
      askedTs: clock.nowMs(),
      askedMs,
      expiresMs: askedMs + expiresMinutes * 60_000,
      ...identityOf(asked),
      state: { kind: 'open' },
      isShown: false,
    }
  }

  /** Without `from` the bot's owners decide. A question that nobody in the chat may answer is refused. */
  #deciders(chat: ChatId, from: AccountId[] | undefined): AccountId[] {
    const members = this.#membersOf(chat)
    const stranger = from?.find(account => !members.includes(account))
    if (stranger !== undefined) throw badFrom(`${stranger} is not a member of the chat`)
    const deciders = [...new Set(from ?? this.#context.owners)].filter(account => members.includes(account))
    if (deciders.length === 0) throw badFrom('is required, because no owner of the bot (BOT_OWNERS) is in this chat')
    return deciders
  }

  #membersOf(chat: ChatId): AccountId[] {
    const { client } = this.#context
    try {
      const { state, members } = client.chats.get(chat)
      if (state === 'left') throw new CodedError('chat-left')
      return members.map(({ id }) => id).filter(id => id !== client.account)
    } catch (error) {
      // The question opens the chat.
      if (isCoded(error, 'chat-not-found') && isAccountId(chat)) return [chat]
      throw error
    }
  }
}

/** The fields that a repeated call shares with the first one. */
const identityOf = ({ chat, question, options, freeText, from, key }: NewAsk): Pick<Ask, 'key' | 'request'> => ({
  ...(key !== undefined && { key: hashOf(key) }),
  request: hashOf(JSON.stringify({ chat, question, options, freeText, from })),
})

const badFrom = (rule: string): CodedError => new CodedError('bad-field', { field: 'from', rule })

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url')
