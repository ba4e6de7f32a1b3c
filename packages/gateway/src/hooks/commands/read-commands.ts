// Reads hook commands from the journal, and executes and answers each exactly once, even after a crash.
import type { Message } from '@postern/bot-api/objects'
import {
  type Client,
  followJournal,
  type Journal,
  type JournalEntry,
  type Log,
  type RecordChange,
  type Records,
} from '@postern/core'
import {
  type Clock,
  CodedError,
  gatewayLimits,
  hookLimits,
  isCoded,
  LogThrottle,
  logFault,
  pause,
  unlessAborted,
  utf8,
} from '@postern/protocol'
import type { HookAdmin } from '../hook-admin.ts'
import { READER } from '../stored-names.ts'
import type { GatewayWords } from '../words/words.ts'
import type { AddressEraser } from './erase-addresses.ts'
import { parseCommand } from './parse-command.ts'
import type { CommandAnswer, CommandAnswers, HookCommands } from './run-command.ts'

const PREFIX = 'answer/'

export type CommandReaderParts = {
  client: Client
  commands: HookCommands
  admin: HookAdmin
  records: Records
  eraser: AddressEraser
  words: GatewayWords['answers']
  clock: Clock
  log: Log
}

export class CommandReader {
  readonly #parts: CommandReaderParts
  readonly #journal: Journal
  readonly #stop = new AbortController()
  readonly #faults: LogThrottle
  #running: Promise<void> = Promise.resolve()

  private constructor(parts: CommandReaderParts) {
    this.#parts = parts
    this.#faults = new LogThrottle(parts.clock, gatewayLimits.faultSaidEveryMs)
    this.#journal = parts.client.journal
  }

  /** A new reader begins with future entries: old commands were not meant for it. */
  static async open(parts: CommandReaderParts): Promise<CommandReader> {
    const { client, records } = parts
    if (client.journal.readerState(READER) === undefined) await client.journal.setReaderState(READER, '{}')
    const confirmed = client.journal.confirmed(READER)
    const over = records
      .all()
      .filter(({ key }) => key.startsWith(PREFIX) && Number(key.slice(PREFIX.length)) <= confirmed)
    // These answers were sent before a crash, and may hold an address.
    if (over.length > 0) await records.change(...over.map(({ key }): RecordChange => ({ key, remove: true })))
    return new CommandReader(parts)
  }

  start(): void {
    this.#running = this.#readOn()
  }

  async stop(): Promise<void> {
    this.#stop.abort(new CodedError('stopping'))
    await this.#running
  }

  async #readOn(): Promise<void> {
    const until = this.#stop.signal
    const read = () => this.#journal.read(this.#journal.confirmed(READER), hookLimits.commandsPerPage)
    while (!until.aborted) {
      try {
        for await (const entries of followJournal(this.#journal, { read, until })) await this.#carryOut(entries)
      } catch (error) {
        if (isCoded(error, 'stopping') || until.aborted) return
        this.#retrying(error)
        await this.#pause(hookLimits.answerRetryMs)
      }
    }
  }

  #retrying(error: unknown): void {
    const what = 'hook command not executed; will retry'
    this.#faults.say(what, () => logFault(error, { what, log: this.#parts.log }))
  }

  async #carryOut(entries: readonly JournalEntry[]): Promise<void> {
    for (const entry of entries) {
      if (!(await this.#handle(entry))) continue
      // Before the record of its answer is removed: a command that is read again would be executed again.
      await this.#journal.confirm(READER, entry.id, 'recorded')
      await this.#parts.records.change({ key: PREFIX + entry.id, remove: true })
    }
    const last = entries.at(-1)
    if (last) await this.#journal.confirm(READER, last.id, 'recorded')
  }

  /** Returns whether the entry was a command that was answered. */
  async #handle({ id, json }: JournalEntry): Promise<boolean> {
    const { client, commands, records, log } = this.#parts
    const command = parseCommand(json, client.account)
    if (!command) return false
    if (command === 'not-for-us') {
      log.debug({ update: id }, 'hook command ignored: bot not mentioned')
      return false
    }
    const kept = records.get(PREFIX + id)
    const keep = (answers: CommandAnswers): RecordChange => ({ key: PREFIX + id, put: JSON.stringify(answers) })
    try {
      const answers = kept === undefined ? await commands.run(command, keep) : (JSON.parse(kept) as CommandAnswers)
      if (!answers) return false
      await this.#answer(id, answers)
      return true
    } catch (error) {
      if (!isFinal(error)) throw error
      logFault(error, { what: 'hook command failed', log })
      return false
    }
  }

  async #answer(id: number, { command, each }: CommandAnswers): Promise<void> {
    for (const [at, answer] of each.entries()) {
      const sent = await this.#send(answer, `hook-answer:${id}:${at}`)
      // Before the command counts as answered: if a crash came in between, the message would stay forever.
      if (sent && answer.holdsAddress) await this.#parts.eraser.note(sent)
      if (sent || answer.orRemove === undefined) continue
      // Nobody knows the address now: a hook without one is useless.
      await this.#parts.admin.remove(answer.orRemove)
      await this.#send({ to: command, text: this.#parts.words.notReached }, `hook-answer:${id}:not-reached`)
      return
    }
  }

  /** The relay may be away for hours; tries while it is connected are limited. Undefined when the answer was not sent. */
  async #send({ to, text }: CommandAnswer, key: string): Promise<Message | undefined> {
    const { client, log } = this.#parts
    const once = { timeoutMs: hookLimits.answerWithinMs, idempotency: { key, request: utf8(key) } }
    for (let tries = 0; tries < hookLimits.answerTriesMax; ) {
      if (this.#stop.signal.aborted) throw new CodedError('stopping')
      try {
        // A stop does not wait for the relay: a message in doubt is found again by its key.
        return await unlessAborted(client.messages.sendText(to, { text, mentions: [] }, once), this.#stop.signal)
      } catch (error) {
        if (isCoded(error, 'stopping')) throw error
        if (isFinal(error)) {
          logFault(error, { what: 'hook command not answered', log })
          return undefined
        }
        if (client.isOnline) tries++
        await this.#pause(hookLimits.answerRetryMs)
      }
    }
    log.warn({}, 'hook command not answered in time')
    return undefined
  }

  async #pause(forMs: number): Promise<void> {
    await pause(this.#parts.clock, forMs, this.#stop.signal)
  }
}

const passing = [
  'chat-healing',
  'relay-unreachable',
  'send-in-doubt',
  'not-registered',
  'relay-stopping',
  'rate-limited',
  'stopping',
  'key-package-missing',
  'storage-full',
  'storage-failed',
  'descriptors-used-up',
  'relay-full',
  'relay-failing',
] as const

/** A retry would not help. */
const isFinal = (error: unknown): boolean => error instanceof CodedError && !isCoded(error, ...passing)
