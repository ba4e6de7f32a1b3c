// Looks for problems about once a minute and writes to the owners of the bot: when one begins and when it is over.
import type { Client, Log, Records } from '@postern/core'
import {
  type AccountId,
  type Clock,
  CodedError,
  faultFields,
  gatewayLimits,
  isCoded,
  LogThrottle,
  logFault,
  ownerNoticeLimits,
  privateChatId,
  type Timer,
  unlessAborted,
  utf8,
} from '@postern/protocol'
import type { OwnerWords } from '../hooks/words/russian-owners.ts'
import { type FollowedProblem, followProblem, type OwnerNotice } from './follow-problem.ts'
import { type ProblemName, type ProblemSources, problemNames, problems } from './problems.ts'

/** For the records of followed problems. Never rename it. */
export const OWNER_SHELF = 'owner-notices'

export type OwnerNoticesOptions = {
  owners: readonly AccountId[]
  sources: ProblemSources
  words: OwnerWords
  clock: Clock
  log: Log
}

type Told = { isDone: boolean }

export class OwnerNotices {
  readonly #client: Client
  readonly #options: OwnerNoticesOptions
  readonly #owners: readonly AccountId[]
  readonly #records: Records
  readonly #followed: Map<ProblemName, FollowedProblem>
  readonly #faults: LogThrottle
  readonly #stop = new AbortController()
  /** Failed sends by the key of the message. */
  readonly #tries = new Map<string, number>()
  #timer: Timer | undefined
  #looking: Promise<void> = Promise.resolve()

  constructor(client: Client, options: OwnerNoticesOptions) {
    this.#client = client
    this.#options = options
    this.#owners = [...new Set(options.owners)].filter(owner => owner !== client.account)
    this.#records = client.records(OWNER_SHELF)
    this.#followed = new Map(
      problemNames.map(name => [name, JSON.parse(this.#records.get(name) ?? '{"subjects":{}}') as FollowedProblem]),
    )
    this.#faults = new LogThrottle(options.clock, gatewayLimits.faultSaidEveryMs)
  }

  /** The first look is a minute later: what failed before a restart has had time to succeed. */
  start(): void {
    if (this.#owners.length > 0) this.#lookLater()
  }

  async stop(): Promise<void> {
    this.#stop.abort(new CodedError('stopping'))
    this.#timer?.cancel()
    await this.#looking
  }

  #lookLater(): void {
    if (this.#stop.signal.aborted) return
    this.#timer = this.#options.clock.setTimer(ownerNoticeLimits.lookEveryMs, () => {
      this.#looking = this.look().finally(() => this.#lookLater())
    })
  }

  /** Never rejects. */
  async look(): Promise<void> {
    for (const name of problemNames) {
      if (this.#stop.signal.aborted) return
      try {
        await this.#follow(name)
        await this.#send(name)
      } catch (error) {
        if (this.#stop.signal.aborted) return
        const what = 'problem not reported to the owners; will retry'
        this.#faults.say(`${what} ${name}`, () => logFault(error, { what, log: this.#options.log }))
      }
    }
  }

  async #follow(name: ProblemName): Promise<void> {
    const { sources, words } = this.#options
    const findings = await problems[name].check(sources, words, this.#stop.signal)
    if (!findings) return
    const look = { name, findings, nowMs: this.#client.elapsed.nowMs(), owners: this.#owners, words }
    await this.#keep(name, followProblem(this.#of(name), look))
  }

  /** Durable before anything is sent: after a kill the same message is sent under the same key. */
  async #keep(name: ProblemName, after: FollowedProblem): Promise<void> {
    const put = JSON.stringify(after)
    if (put === JSON.stringify(this.#of(name))) return
    await this.#records.change({ key: name, put })
    this.#followed.set(name, after)
  }

  async #send(name: ProblemName): Promise<void> {
    for (const owner of this.#of(name).notice?.to ?? []) {
      const { notice } = this.#of(name)
      if (!notice || !this.#client.isOnline) return
      const { isDone } = this.#owners.includes(owner) ? await this.#tell(owner, notice) : { isDone: true }
      if (isDone) await this.#noteTold(name, owner)
    }
  }

  async #tell(owner: AccountId, { id, text }: OwnerNotice): Promise<Told> {
    const key = `owner-notice:${id}:${owner}`
    const once = { timeoutMs: ownerNoticeLimits.sendWithinMs, idempotency: { key, request: utf8(key) } }
    try {
      const content = { text, mentions: [] }
      await unlessAborted(this.#client.messages.sendText(privateChatId(owner), content, once), this.#stop.signal)
    } catch (error) {
      if (this.#stop.signal.aborted || !this.#client.isOnline) return { isDone: false }
      const tries = (this.#tries.get(key) ?? 0) + 1
      this.#tries.set(key, tries)
      if (!isUnreachable(error) && tries < ownerNoticeLimits.sendTriesMax) return { isDone: false }
      this.#options.log.warn({ owner, ...faultFields(error) }, 'owner not told of a problem')
    }
    this.#tries.delete(key)
    return { isDone: true }
  }

  async #noteTold(name: ProblemName, owner: AccountId): Promise<void> {
    const { notice, ...rest } = this.#of(name)
    if (!notice) return
    const to = notice.to.filter(each => each !== owner)
    await this.#keep(name, to.length === 0 ? rest : { ...rest, notice: { ...notice, to } })
  }

  #of(name: ProblemName): FollowedProblem {
    return this.#followed.get(name) ?? { subjects: {} }
  }
}

/** No later try would reach this owner. */
const isUnreachable = (error: unknown): boolean =>
  isCoded(error, 'account-not-found', 'account-deleted', 'chat-blocked', 'chat-left', 'chat-is-request')
