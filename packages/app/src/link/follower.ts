// A page whose core runs in another one: it announces itself, talks on a separate channel, and notices when nobody answers.
import type { Timer } from '@postern/protocol'
import { LOBBY_CHANNEL, type LobbyMessage, roomOf, type ToCore, type ToPage } from '../contract/messages.ts'
import type { Channel, LinkEnvironment } from './environment.ts'
import { linkLimits } from './link-limits.ts'

export type FollowerEvents = {
  hear(message: ToPage): void
  /** Nobody has answered for a while, or somebody does again. */
  silence(isSilent: boolean): void
}

export class FollowerPage {
  readonly #around: LinkEnvironment
  readonly #events: FollowerEvents
  readonly #page: string
  readonly #hall: Channel
  readonly #room: Channel
  #timer: Timer
  #isKnown = false
  /** Whether anything was received since the last request. */
  #isAnswered: boolean

  constructor(around: LinkEnvironment, events: FollowerEvents) {
    this.#around = around
    this.#events = events
    this.#page = around.newId()
    this.#room = around.openChannel<ToPage>(roomOf(this.#page), message => this.#hear(message))
    this.#hall = around.openChannel<LobbyMessage>(LOBBY_CHANNEL, said => {
      if ('core' in said) this.#knock()
    })
    this.#timer = around.clock.setTimer(linkLimits.followerPingMs, () => this.#ask())
    this.#isAnswered = !around.isVisible()
    this.#knock()
  }

  post(message: ToCore): void {
    this.#room.postMessage(message)
  }

  stop(): void {
    this.#timer.cancel()
    this.post({ kind: 'bye' })
    this.#hall.close()
    this.#room.close()
  }

  #knock(): void {
    this.#hall.postMessage({ page: this.#page } satisfies LobbyMessage)
  }

  #hear(message: ToPage): void {
    this.#isKnown = true
    this.#isAnswered = true
    this.#events.silence(false)
    this.#events.hear(message)
  }

  #ask(): void {
    const isLooked = this.#around.isVisible()
    const isSilent = isLooked && !this.#isAnswered
    if (isSilent) this.#events.silence(true)
    this.#isAnswered = !isLooked
    // Repeated during silence: the announcement of a new core may have passed while this page was frozen.
    if (!this.#isKnown || isSilent) this.#knock()
    this.post({ kind: 'ping', id: 0 })
    this.#timer = this.#around.clock.setTimer(linkLimits.followerPingMs, () => this.#ask())
  }
}
