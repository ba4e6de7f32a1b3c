// Reads presses and replies from the journal with a cursor of its own, so they count in every mode of updates.
import type { Update } from '@postern/bot-api'
import { followJournal, type JournalEntry } from '@postern/core'
import { gatewayLimits, isCoded, LogThrottle, logFault, type MessageId, mcpLimits, pause } from '@postern/protocol'
import type { McpContext } from '../mcp-context.ts'
import { ANSWER_READER } from '../stored-names.ts'
import { visibleName } from '../untrusted.ts'
import { askWordsIn } from '../words.ts'
import { type Ask, type AskPerson, readButtonData } from './ask.ts'
import type { AskStore } from './ask-store.ts'
import { lateToast } from './show-ask.ts'
import type { Toasts } from './toasts.ts'

type Numbered = Update & { entryMs: number }
type Pressed = Extract<Numbered, { type: 'button' }>
type Said = Extract<Numbered, { type: 'message' }>

export type AnswerReaderParts = { store: AskStore; toasts: Toasts; onAnswer: () => void }

export class AnswerReader {
  readonly #context: McpContext
  readonly #parts: AnswerReaderParts
  readonly #stop = new AbortController()
  readonly #faults: LogThrottle
  #running: Promise<void> = Promise.resolve()

  constructor(context: McpContext, parts: AnswerReaderParts) {
    this.#context = context
    this.#parts = parts
    this.#faults = new LogThrottle(context.clock, gatewayLimits.faultSaidEveryMs)
  }

  start(): void {
    this.#running = this.#readOn()
  }

  async stop(reason: unknown): Promise<void> {
    this.#stop.abort(reason)
    await this.#running
  }

  get isCaughtUp(): boolean {
    return this.#read().length === 0
  }

  #read(): JournalEntry[] {
    const { journal } = this.#context.client
    return journal.read(journal.confirmed(ANSWER_READER), mcpLimits.entriesPerPage)
  }

  async #readOn(): Promise<void> {
    const { client, clock, log } = this.#context
    const until = this.#stop.signal
    while (!until.aborted) {
      try {
        for await (const entries of followJournal(client.journal, { read: () => this.#read(), until }))
          await this.#handleAll(entries)
      } catch (error) {
        if (isCoded(error, 'stopping') || until.aborted) return
        const what = 'answer to an agent not read; will retry'
        this.#faults.say(what, () => logFault(error, { what, log }))
        await pause(clock, mcpLimits.retryMs, until)
      }
    }
  }

  /** An entry that is read again after a crash changes nothing: its answer is stored. */
  async #handleAll(entries: readonly JournalEntry[]): Promise<void> {
    for (const { id, json, ts } of entries) await this.#handle({ ...(JSON.parse(json) as Update), id, entryMs: ts })
    const last = entries.at(-1)
    if (last) await this.#context.client.journal.confirm(ANSWER_READER, last.id, 'recorded')
  }

  async #handle(update: Numbered): Promise<void> {
    switch (update.type) {
      case 'button':
        return await this.#press(update)
      case 'message':
        return await this.#reply(update)
      case 'deleted':
        return await this.#erase([update.deleted.message_id])
      case 'expired':
        return await this.#erase(update.expired)
      case 'edited':
      case 'poll':
      case 'reaction':
      case 'chat':
      case 'notice':
      case 'delivered':
      case 'read':
      case 'join_request':
        return undefined
    }
  }

  async #press({ chat_id: chat, button, entryMs }: Pressed): Promise<void> {
    const { store, toasts } = this.#parts
    const read = readButtonData(button.data)
    const ask = read && store.find(read.id)
    // A button of the operator's own program, with the same words.
    if (!ask || ask.chat !== chat || (ask.message !== undefined && ask.message !== button.message_id)) return
    const words = askWordsIn[this.#context.language]
    const by = personIn(button.from)
    if (!ask.from.includes(by.id))
      return toasts.refuse({ id: button.press_id, by: by.id }, words.toasts.notYours(this.#namesOf(ask)))
    const state = {
      kind: 'chosen',
      choice: read.choice,
      by,
      ts: this.#context.clock.nowMs(),
      press: button.press_id,
    } as const
    const after = await this.#settle(ask, { state, entryMs, message: button.message_id })
    if (!after || after.state.kind === 'open') return
    const isThis = after.state.kind === 'chosen' && after.state.press === button.press_id
    const label = ask.options[read.choice] ?? ''
    toasts.answer(button.press_id, isThis ? words.toasts.accepted(label) : lateToast(after, after.state, words))
  }

  async #reply({ chat_id: chat, message, entryMs }: Said): Promise<void> {
    const { reply_to: target, text } = message
    if (target === undefined || text === undefined) return
    const ask = this.#parts.store.all().find(one => one.message === target && one.chat === chat)
    const by = personIn(message.from)
    if (!ask?.freeText || !ask.from.includes(by.id)) return
    const state = { kind: 'replied', text, by, ts: this.#context.clock.nowMs(), reply: message.id } as const
    await this.#settle(ask, { state, entryMs, message: target })
  }

  /** The first answer that the gateway has received in time counts, also if it was handled late. */
  async #settle(
    ask: Ask,
    { state, entryMs, message }: { state: Ask['state']; entryMs: number; message: MessageId },
  ): Promise<Ask | undefined> {
    const after = await this.#parts.store.change(ask.id, now => {
      if (now.state.kind !== 'open') return now
      const isLate = entryMs >= now.expiresMs
      return {
        ...now,
        message,
        state: isLate ? { kind: 'expired' } : state,
        overMs: this.#context.client.elapsed.nowMs(),
      }
    })
    if (!after) return undefined
    if (after.state === state) {
      const { log, metrics } = this.#context
      metrics.asks.add('answered')
      log.info(
        { ask: ask.id, chat: ask.chat, by: 'by' in state ? state.by.id : undefined },
        'question of an agent answered',
      )
    }
    this.#parts.onAnswer()
    return after
  }

  /** Agents no longer get a reply that its writer deletes, or that disappears. */
  async #erase(messages: readonly MessageId[]): Promise<void> {
    for (const { id, state } of this.#parts.store.all())
      if (state.kind === 'replied' && state.text !== '' && messages.includes(state.reply))
        await this.#parts.store.change(id, now => ({ ...now, state: { ...state, text: '' } }))
  }

  #namesOf({ from }: Ask): string[] {
    return from.map(account => visibleName(this.#context.client.identity.profileOf(account).name))
  }
}

const personIn = ({ id, name }: Pressed['button']['from']): AskPerson => ({
  id,
  name: visibleName(name),
})
