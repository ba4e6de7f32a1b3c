// Remembers how the last post to each hook ended, for the list of hooks. One record for each hook, without any posted word.
import { apiErrorOf, apiStatuses, hookEndpoints, type LastHookResult } from '@postern/bot-api'
import type { ElapsedClock, RecordChange, Records } from '@postern/core'
import { type Clock, hookLimits } from '@postern/protocol'

const PREFIX = 'last/'
const { statuses } = hookEndpoints.postHook

export type NotedEnd = { result: 'written' | 'silent' } | { error: unknown }

/** Refusals in a row; the times are elapsed ones, independent of the machine's clock. */
export type HookRefusals = { count: number; firstMs: number; lastMs: number }

type StoredResult = LastHookResult & { refusals?: HookRefusals }

export type LastResultsOptions = { clock: Clock; elapsed: Pick<ElapsedClock, 'nowMs'> }

export class LastResults {
  readonly #records: Records
  readonly #options: LastResultsOptions
  readonly #byHook = new Map<string, StoredResult>()

  constructor(records: Records, options: LastResultsOptions) {
    this.#records = records
    this.#options = options
    for (const { key, value } of records.all())
      if (key.startsWith(PREFIX)) this.#byHook.set(key.slice(PREFIX.length), JSON.parse(value) as StoredResult)
  }

  of(hook: string): LastHookResult | undefined {
    const { refusals: _, ...last } = this.#byHook.get(hook) ?? {}
    return 'last_ts' in last ? last : undefined
  }

  /** Undefined when no post was refused since the last one that was accepted. */
  refusalsOf(hook: string): HookRefusals | undefined {
    return this.#byHook.get(hook)?.refusals
  }

  /** On the disk with the next durable write, or soon: no sender waits for it. */
  note(hook: string, end: NotedEnd): void {
    const ended = 'error' in end ? refusalOf(end.error) : doneBy(end.result)
    const refusals = this.#refusalsAfter(hook, ended.last_status)
    const last = { last_ts: this.#options.clock.nowMs(), ...ended, ...(refusals && { refusals }) }
    this.#byHook.set(hook, last)
    // A failure loses what a kill would lose.
    this.#records.changeAhead({ key: PREFIX + hook, put: JSON.stringify(last) }).catch(() => undefined)
  }

  #refusalsAfter(hook: string, status: number): HookRefusals | undefined {
    const before = this.#byHook.get(hook)?.refusals
    if (status < 400) return undefined
    // Ours, or a matter of time: it says nothing about what the sender posts.
    if (status >= 500 || status === 408 || status === 429) return before
    const lastMs = this.#options.elapsed.nowMs()
    return { count: (before?.count ?? 0) + 1, firstMs: before?.firstMs ?? lastMs, lastMs }
  }

  forgetting = (hook: string): RecordChange => ({ key: PREFIX + hook, remove: true })

  forgotten(hook: string): void {
    this.#byHook.delete(hook)
  }

  /** At the start: a post that outlived its hook left a record. */
  async tidy(isHook: (id: string) => boolean): Promise<void> {
    const leaving = [...this.#byHook.keys()].filter(hook => !isHook(hook))
    if (leaving.length === 0) return
    await this.#records.change(...leaving.map(this.forgetting))
    for (const hook of leaving) this.forgotten(hook)
  }
}

const doneBy = (result: 'written' | 'silent') => ({ last_status: 200, last_result: result })

/** The sentence that its sender received, which names rules and never what was posted. */
function refusalOf(error: unknown): Omit<LastHookResult, 'last_ts'> {
  const { error: text, code } = apiErrorOf(error)
  const status = (statuses as Partial<Record<typeof code, number>>)[code] ?? apiStatuses[code]
  return { last_status: status, last_result: 'refused', last_error: text.slice(0, hookLimits.lastErrorUnitsMax) }
}
