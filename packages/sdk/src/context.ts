// The context of a handler: the update, and ways to answer it.
import type { Api } from './api.ts'
import { ApiError } from './api-error.ts'
import type { Me, Message, NewButton, Person, Update } from './api-types.ts'
import { Buttons } from './buttons.ts'
import type { Clock } from './clock.ts'
import type { AlbumFields, EditExtra, Extra, FileFields, PollFields } from './extras.ts'
import type { Download, FileSource, NamedFile } from './files.ts'
import type { Filter, Filters } from './filters.ts'
import { type StreamOptions, streamText } from './stream-text.ts'

export type WaitOptions = {
  /** By default a minute. */
  timeoutMs?: number
  /** By default the person of this update. */
  from?: string
}

export interface Context {
  readonly update: Update
  /** The calls of the API. Everything that is sent gets a key of this update. */
  readonly api: Api
  readonly me: Me
  readonly chatId: string
  readonly from: Person | undefined
  readonly text: string | undefined
  /** The match of `hears` and `press` with a regular expression. */
  readonly match: RegExpMatchArray | undefined
  /** The words after the name of a command. */
  readonly args: string
  /** Aborted when the bot stops and does not wait any longer. */
  readonly signal: AbortSignal
  send(text: string, extra?: Extra): Promise<Message>
  /** Sends in reply to the message of the update. */
  reply(text: string, extra?: Extra): Promise<Message>
  replyFile(file: FileSource, options: FileFields & { name: string; key?: string }): Promise<Message>
  /** At most ten files, shown together. The caption is the first one's. */
  replyAlbum(files: NamedFile[], options?: AlbumFields & { key?: string }): Promise<Message[]>
  replyPoll(question: string, options: string[], extra?: PollFields & { key?: string }): Promise<Message>
  /** Edits the message whose button was pressed, or the message of the update. */
  edit(text: string, extra?: EditExtra): Promise<Message>
  /** Answers a press. False: it is too late, and nobody sees the text. */
  answer(text?: string): Promise<boolean>
  react(emoji: string): Promise<void>
  read(): Promise<void>
  file(): Promise<Download>
  /** People see the text grow; the message is sent at its end, once. */
  stream(parts: AsyncIterable<string>, options?: StreamOptions): Promise<Message>
  /** The next update of this chat that fits, or undefined. The current update counts as handled from here on. */
  wait<Name extends Filter>(filter: Name, options?: WaitOptions): Promise<(Context & Filters[Name]) | undefined>
}

export type ContextParts = {
  update: Update
  api: Api
  me: Me
  signal: AbortSignal
  clock: Clock
  wait: Context['wait']
  /** The name of the next step that has none. */
  nextName: () => string
}

/** Fields that handlers set for those that they enclose. */
export type MatchFields = { match?: RegExpMatchArray | undefined; args?: string; payload?: unknown }

export class UpdateContext implements Context, MatchFields {
  readonly update: Update
  readonly api: Api
  readonly me: Me
  readonly chatId: string
  readonly from: Person | undefined
  readonly text: string | undefined
  readonly signal: AbortSignal
  readonly wait: Context['wait']
  readonly #clock: Clock
  readonly #nextName: () => string
  match: RegExpMatchArray | undefined
  args = ''
  payload: unknown
  isAnswered = false

  constructor({ update, api, me, signal, clock, wait, nextName }: ContextParts) {
    const { id: _, type: __, chat_id, ...content } = update
    // The fields of the update under their own names: `message`, `button`, …
    Object.assign(this, content)
    this.update = update
    this.api = api
    this.me = me
    this.signal = signal
    this.wait = wait
    this.#clock = clock
    this.#nextName = nextName
    this.chatId = chat_id
    this.from = personOf(update)
    this.text = textOf(update)
  }

  async send(text: string, { key, buttons, ...fields }: Extra = {}): Promise<Message> {
    const params = { chat: this.chatId, text, ...fields, buttons: rowsOf(buttons) }
    return await this.api.sendMessage(params, { key })
  }

  async reply(text: string, extra: Extra = {}): Promise<Message> {
    return await this.send(text, { reply_to: messageIdOf(this.update), ...extra })
  }

  async replyFile(file: FileSource, { key, ...fields }: FileFields & { name: string; key?: string }): Promise<Message> {
    return await this.api.sendFile({ chat: this.chatId, file, reply_to: messageIdOf(this.update), ...fields }, { key })
  }

  async replyAlbum(files: NamedFile[], { key, ...fields }: AlbumFields & { key?: string } = {}): Promise<Message[]> {
    const params = { chat: this.chatId, files, reply_to: messageIdOf(this.update), ...fields }
    return await this.api.sendAlbum(params, { key })
  }

  async replyPoll(
    question: string,
    options: string[],
    { key, ...fields }: PollFields & { key?: string } = {},
  ): Promise<Message> {
    const params = { chat: this.chatId, question, options, reply_to: messageIdOf(this.update), ...fields }
    return await this.api.sendPoll(params, { key })
  }

  async edit(text: string, { buttons, ...fields }: EditExtra = {}): Promise<Message> {
    return await this.api.editMessage({ ...this.#target(), text, ...fields, buttons: rowsOf(buttons) })
  }

  async answer(text = ''): Promise<boolean> {
    if (this.update.type !== 'button') throw new TypeError('Only the press of a button can be answered.')
    this.isAnswered = true
    try {
      await this.api.answerPress({ press_id: this.update.button.press_id, text }, { key: 'answer' })
      return true
    } catch (error) {
      // Too late, already answered, or answered with other words by an earlier run.
      if (error instanceof ApiError && error.status >= 400 && error.status < 500) return false
      throw error
    }
  }

  async react(emoji: string): Promise<void> {
    await this.api.setReaction({ ...this.#target(), emoji })
  }

  async read(): Promise<void> {
    await this.api.markRead({ chat: this.chatId, up_to: messageIdOf(this.update) })
  }

  async file(): Promise<Download> {
    return await this.api.getFile(this.#target())
  }

  async stream(parts: AsyncIterable<string>, options: StreamOptions = {}): Promise<Message> {
    const { key = this.#nextName() } = options.extra ?? {}
    return await streamText(parts, { context: this, clock: this.#clock, name: key, ...options })
  }

  #target(): { chat: string; msg: string } {
    const msg = messageIdOf(this.update)
    if (msg === undefined) throw new TypeError(`An update of type ${this.update.type} has no message.`)
    return { chat: this.chatId, msg }
  }
}

const rowsOf = (buttons: Extra['buttons']): NewButton[][] | undefined =>
  buttons instanceof Buttons ? buttons.build() : buttons

/** By type, not by field: a type that this version does not know may use the same names for something else. */
function messageIdOf(update: Update): string | undefined {
  switch (update.type) {
    case 'message':
    case 'edited':
    case 'poll':
      return update.message.id
    case 'button':
      return update.button.message_id
    case 'reaction':
      return update.reaction.message_id
    case 'delivered':
      return update.delivered.message_id
    case 'read':
      return update.read.message_id
    case 'deleted':
    case 'expired':
    case 'chat':
    case 'notice':
    case 'join_request':
    default:
      return undefined
  }
}

export function personOf(update: Update): Person | undefined {
  switch (update.type) {
    case 'message':
    case 'edited':
    case 'poll':
      return update.message.from
    case 'button':
      return update.button.from
    case 'reaction':
      return update.reaction.from
    case 'deleted':
      return update.deleted.from
    case 'delivered':
      return update.delivered.from
    case 'read':
      return update.read.from
    case 'join_request':
      return update.join_request.from
    case 'notice':
      return 'from' in update.notice ? update.notice.from : undefined
    case 'expired':
    case 'chat':
    default:
      return undefined
  }
}

const textOf = (update: Update): string | undefined =>
  update.type === 'message' || update.type === 'edited' || update.type === 'poll' ? update.message.text : undefined
