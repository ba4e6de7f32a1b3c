// How a page reaches the core: the page with the lock runs it, and all others talk to that page, which can change.
import type { AppCallAnswer, AppCallName, CallAsked } from '../contract/calls.ts'
import { LOCK, type ToCore, type ToPage } from '../contract/messages.ts'
import type { PushEvent } from '../contract/push-events.ts'
import type { ViewArgs, ViewName, ViewValue } from '../contract/views.ts'
import { inBackground } from './background.ts'
import { judgeBuild } from './builds.ts'
import type { LinkEnvironment } from './environment.ts'
import { FollowerPage } from './follower.ts'
import { LeaderPage } from './leader.ts'
import { linkLimits } from './link-limits.ts'
import { LockRequest } from './lock-request.ts'
import { PendingRequests } from './pending-requests.ts'
import { Takeover } from './takeover.ts'

/**
 * `silent`: the page that runs the core does not answer; "Use here" helps. `broken`: the worker fails repeatedly.
 * `refused`: the browser does not give this page the lock, whatever it does.
 * `leads`: this page runs the core, and so shows alerts.
 */
export type PageLinkState = { core: 'starting' | 'talking' | 'silent' | 'broken' | 'refused'; leads: boolean }

type Role = { kind: 'following'; by: FollowerPage } | { kind: 'leading'; by: LeaderPage }

export class CoreLink {
  readonly #around: LinkEnvironment
  readonly #onState: (state: PageLinkState) => void
  readonly #asking: PendingRequests
  #role: Role | undefined
  #holding: LockRequest | undefined
  #handingOver: Takeover | undefined
  #core: PageLinkState['core'] = 'starting'
  #isReloading = false

  constructor(around: LinkEnvironment, onState: (state: PageLinkState) => void) {
    this.#around = around
    this.#onState = onState
    this.#asking = new PendingRequests(
      message => this.#post(message),
      () => around.newId(),
    )
  }

  /** Sent again when the core moves to another worker, under the same key. */
  call<Name extends AppCallName>(name: Name, asked: CallAsked<Name>, key?: string): Promise<AppCallAnswer<Name>> {
    return this.#asking.call(name, asked, key)
  }

  watch<Name extends ViewName>(name: Name, args: ViewArgs<Name>, show: (value: ViewValue<Name>) => void): () => void {
    return this.#asking.watch(name, args, show)
  }

  get hasUnanswered(): boolean {
    return this.#asking.hasUnanswered
  }

  onPushEvent(listener: (tiding: PushEvent) => void): () => void {
    return this.#asking.onPushEvent(listener)
  }

  /** Also after `stop`, when the browser restores a suspended page. */
  start(): void {
    if (this.#role) return
    this.#handingOver = new Takeover(this.#around, () => this.#giveUp())
    this.#follow()
  }

  /** The page goes, or is suspended: the next page in line need not wait for it. */
  stop(): void {
    this.#role?.by.stop()
    this.#role = undefined
    this.#asking.lost()
    this.#holding?.release()
    this.#handingOver?.stop()
  }

  /** A person wants the core in this page, whatever the leading one does. */
  useHere(): void {
    if (this.#role?.kind !== 'following') return
    this.#handingOver?.ask('person')
    const holding = this.#holding
    this.#around.clock.setTimer(linkLimits.handOverMs, () => {
      if (holding !== this.#holding || this.#role?.kind !== 'following') return
      holding?.release()
      this.#request({ steal: true })
    })
  }

  #follow(): void {
    this.#asking.lost()
    const by = new FollowerPage(this.#around, {
      hear: message => this.#hear(message),
      silence: isSilent => this.#noteSilence(isSilent),
    })
    this.#role = { kind: 'following', by }
    this.#request({})
    this.#note('starting')
  }

  /** Held until this page goes or gives it up, and with it the worker: then the next page in line starts its own. */
  #request(wish: { steal?: true }): void {
    const holding = new LockRequest()
    this.#holding = holding
    const request = this.#around.requestLock(wish.steal ? { steal: true } : { signal: holding.signal }, () => {
      if (holding.isReleased) return holding.over
      this.#lead()
      return holding.over
    })
    const lost = request.catch((error: unknown) => this.#noteLoss(error, holding))
    inBackground(lost, `the lock ${LOCK} could not be had`)
  }

  #noteLoss(error: unknown, holding: LockRequest): void {
    if (holding.isReleased || holding !== this.#holding) return
    const isStolen = error instanceof DOMException && error.name === 'AbortError'
    // In line again after a theft only: a browser that refuses would be asked in an endless loop.
    if (!isStolen) {
      this.#note('refused')
      throw error
    }
    this.#role?.by.stop()
    this.#follow()
  }

  #lead(): void {
    this.#role?.by.stop()
    this.#asking.lost()
    const by = new LeaderPage(this.#around, {
      hear: message => this.#hear(message),
      restarting: failures => {
        this.#asking.lost()
        this.#note(failures > linkLimits.restartsMax ? 'broken' : 'starting')
      },
    })
    this.#role = { kind: 'leading', by }
    this.#note('starting')
  }

  #giveUp(): void {
    if (this.#role?.kind !== 'leading') return
    const holding = this.#holding
    this.#role.by.stop()
    // In line again before the lock is free: otherwise a single page would have no core.
    this.#follow()
    holding?.release()
  }

  #post(message: ToCore): void {
    this.#role?.by.post(message)
  }

  #hear(message: ToPage): void {
    // The rest of this page must not request a core any more.
    if (this.#isReloading) return
    if (message.kind === 'ready') {
      const verdict = judgeBuild(message.build, this.#around)
      if (verdict === 'reload') return this.#reload()
      if (verdict === 'take-over') this.#handingOver?.ask('build')
      this.#note('talking')
    }
    this.#asking.hear(message)
  }

  #reload(): void {
    this.#isReloading = true
    this.#around.reload()
  }

  #noteSilence(isSilent: boolean): void {
    if (isSilent) this.#handingOver?.ask('page')
    if (isSilent !== (this.#core === 'silent')) this.#note(isSilent ? 'silent' : 'talking')
  }

  #note(core: PageLinkState['core']): void {
    this.#core = core
    this.#onState({ core, leads: this.#role?.kind === 'leading' })
  }
}
