// The updates of this gateway: a queue that is polled, or none at all.
import type { Journal, Log } from '@postern/core'
import { type Clock, CodedError } from '@postern/protocol'
import { LongPoll, type Poll } from './long-poll.ts'
import { UpdateDiscard } from './update-discard.ts'
import { UpdateQueue } from './update-queue.ts'

type Mode = { kind: 'poll'; longPoll: LongPoll } | { kind: 'off'; discard: UpdateDiscard }

export class Updates {
  readonly #mode: Mode

  private constructor(mode: Mode) {
    this.#mode = mode
  }

  static async open(journal: Journal, options: { keep: 'on' | 'off'; clock: Clock; log: Log }): Promise<Updates> {
    if (options.keep === 'off') return new Updates({ kind: 'off', discard: new UpdateDiscard(journal, options) })
    return new Updates({ kind: 'poll', longPoll: new LongPoll(await UpdateQueue.open(journal), options.clock) })
  }

  /** The JSON array of updates; waits for the first one. */
  async poll(poll: Poll, gone: AbortSignal): Promise<string> {
    if (this.#mode.kind === 'off') throw new CodedError('updates-off')
    return await this.#mode.longPoll.answer(poll, gone)
  }

  /** At the stop: nobody waits any longer. */
  release(): void {
    if (this.#mode.kind === 'poll') this.#mode.longPoll.release()
  }

  /** After the last request. */
  async close(): Promise<void> {
    if (this.#mode.kind === 'off') await this.#mode.discard.stop()
  }
}
