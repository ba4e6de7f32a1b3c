// Handles one update: attempts, the error handler, and an answer to a press that no handler has answered.
import { apiWithin, UpdateKeys } from './api.ts'
import { isAway } from './api-error.ts'
import type { Me, Update } from './api-types.ts'
import type { Client } from './client.ts'
import { pause } from './clock.ts'
import type { ErrorHandler, Handler, Verdict } from './composer.ts'
import { type Context, personOf, UpdateContext, type WaitOptions } from './context.ts'
import type { Filter, Filters } from './filters.ts'
import { Talk, type WaitEntry, Waits } from './talk.ts'

export type HandlingParts = {
  client: Client
  me: () => Promise<Me>
  handler: Handler
  onError: () => ErrorHandler | undefined
  log: (line: string, error: unknown) => void
  answersBots: boolean
}

/** `attempts`: how often a handler runs before its error goes to the error handler. */
export type HandlingOptions = { attempts: number; signal: AbortSignal }

const FIRST_PAUSE_MS = 1000
const PAUSE_GROWTH = 4
const PAUSE_MS_MAX = 64_000

type Run = { ctx: UpdateContext; keys: UpdateKeys; talk: Talk }

export class UpdateHandling {
  readonly #parts: HandlingParts
  readonly #waits = new Waits()

  constructor(parts: HandlingParts) {
    this.#parts = parts
  }

  /** Until it is handled or skipped. Throws only when the signal is aborted. */
  async handle(update: Update, options: HandlingOptions): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * PAUSE_GROWTH, PAUSE_MS_MAX)) {
      if ((await this.judge(update, options)) === 'skip') return
      await pause(this.#parts.client.clock, pauseMs, options.signal)
      options.signal.throwIfAborted()
    }
  }

  /** `skip`: the update is done with. `retry`: the error handler wants it to be handled again. */
  async judge(update: Update, { attempts, signal }: HandlingOptions): Promise<Verdict> {
    if (!this.#parts.answersBots && isByBot(update)) return 'skip'
    const waiting = this.#waits.settle(update, personOf(update)?.id)
    for (let attempt = 1; ; attempt += 1) {
      signal.throwIfAborted()
      const run = this.#newRun(update, { me: await this.#parts.me(), signal })
      try {
        if (waiting) await this.#continue(run, waiting)
        else await this.#begin(run)
        return 'skip'
      } catch (error) {
        signal.throwIfAborted()
        // Not a fault of the update: it waits as long as the gateway or its relay is away.
        if (isAway(error)) return this.#wait(update, error)
        if (attempt >= attempts) return await this.#judgeError(error, run)
        this.#parts.log(`update ${update.id} failed, attempt ${attempt} of ${attempts}`, error)
      }
      await pause(this.#parts.client.clock, FIRST_PAUSE_MS * PAUSE_GROWTH ** (attempt - 1), signal)
    }
  }

  #wait({ id }: Update, error: Error): Verdict {
    this.#parts.log(`update ${id} waits for the gateway`, error)
    return 'retry'
  }

  #newRun(update: Update, { me, signal }: { me: Me; signal: AbortSignal }): Run {
    const { client } = this.#parts
    const keys = new UpdateKeys(update.id)
    const ctx = new UpdateContext({
      update,
      me,
      signal,
      clock: client.clock,
      nextName: () => keys.nextName(),
      api: apiWithin(client, { keys, signal }),
      wait: async <Name extends Filter>(filter: Name, options: WaitOptions = {}) =>
        (await run.talk.wait(ctx, filter, options)) as unknown as (Context & Filters[Name]) | undefined,
    })
    const run: Run = { ctx, keys, talk: new Talk(this.#waits, client.clock) }
    return run
  }

  async #begin(run: Run): Promise<void> {
    const released = run.talk.whenReleased()
    await Promise.race([this.#runHandler(run), released])
    await this.#answerPress(run.ctx)
  }

  async #runHandler(run: Run): Promise<void> {
    try {
      await this.#parts.handler(run.ctx, () => Promise.resolve())
    } catch (error) {
      // Its update is confirmed: the handler cannot begin again.
      if (run.talk.hasWaited) await this.#judgeError(error, run)
      else throw error
    } finally {
      run.talk.release()
    }
  }

  /** Gives the update to the handler that waits for it. */
  async #continue(run: Run, waiting: WaitEntry): Promise<void> {
    run.talk = waiting.talk
    const released = waiting.talk.whenReleased()
    waiting.give(run.ctx)
    await released
    await this.#answerPress(run.ctx)
  }

  async #judgeError(error: unknown, { ctx, keys }: Run): Promise<Verdict> {
    const onError = this.#parts.onError()
    if (onError === undefined) this.#parts.log(`update ${ctx.update.id} skipped`, error)
    keys.beginCatch()
    try {
      if ((await onError?.(error, ctx)) === 'retry') return 'retry'
    } catch (caught) {
      this.#parts.log(`update ${ctx.update.id} skipped, because the error handler failed`, caught)
    }
    await this.#answerPress(ctx)
    return 'skip'
  }

  /** A button that nobody answers spins for its time in the app. */
  async #answerPress(ctx: UpdateContext): Promise<void> {
    if (ctx.update.type !== 'button' || ctx.isAnswered) return
    try {
      await ctx.answer()
    } catch (error) {
      this.#parts.log(`press of update ${ctx.update.id} not answered`, error)
    }
  }
}

/** Two bots that answer each other would never stop. */
const isByBot = (update: Update): boolean =>
  (update.type === 'message' || update.type === 'edited') && update.message.from.bot === true
