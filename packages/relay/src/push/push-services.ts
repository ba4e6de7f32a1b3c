// Hosts of push services: limits the requests to each, and lets a host that hangs or fails rest.
import { type Clock, Deferred, pushLimits, type Timer } from '@postern/protocol'

type ServiceHost = {
  inFlight: number
  readonly waiting: Deferred<boolean>[]
  failures: number
  rest: Timer | undefined
}
/** `unused`: no request went out. */
export type HostOutcome = 'answered' | 'failed' | 'unused'
type Parts = {
  clock: Clock
  random: () => number
  /** A host has rested: what waits for it is to be looked for. */
  onRested: () => void
}

export class PushServices {
  readonly #parts: Parts
  readonly #hosts = new Map<string, ServiceHost>()
  #inFlight = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Whether one more device may wait for the host. */
  admits(host: string): boolean {
    const known = this.#hosts.get(host)
    return !known || (!known.rest && known.waiting.length < pushLimits.devicesPerHostMax)
  }

  /** False if the host rests from now on, or all is over: then nothing is to be sent. Call `done` otherwise. */
  async enter(name: string): Promise<boolean> {
    const host = this.#hostOf(name)
    if (host.rest) return false
    if (host.inFlight >= pushLimits.requestsPerHostMax || this.#inFlight >= pushLimits.requestsMax) {
      const wait = new Deferred<boolean>()
      host.waiting.push(wait)
      if (!(await wait.promise)) return false
    }
    host.inFlight += 1
    this.#inFlight += 1
    return true
  }

  done(name: string, outcome: HostOutcome): void {
    const host = this.#hostOf(name)
    host.inFlight -= 1
    this.#inFlight -= 1
    if (outcome === 'answered') host.failures = 0
    else if (outcome === 'failed') this.#failed(name, host)
    this.#admitNext()
  }

  stop(): void {
    for (const host of this.#hosts.values()) {
      host.rest?.cancel()
      for (const wait of host.waiting.splice(0)) wait.resolve(false)
    }
  }

  #failed(name: string, host: ServiceHost): void {
    host.failures += 1
    if (host.failures < pushLimits.failuresMax || host.rest) return
    const { clock, random, onRested } = this.#parts
    const afterMs = pauseMs(host.failures - pushLimits.failuresMax, random)
    for (const wait of host.waiting.splice(0)) wait.resolve(false)
    host.rest = clock.setTimer(afterMs, () => {
      host.rest = undefined
      this.#forget(name)
      onRested()
    })
  }

  /** Hosts take turns, so that one with many devices does not keep the others waiting. */
  #admitNext(): void {
    for (const [name, host] of this.#hosts) {
      if (this.#inFlight >= pushLimits.requestsMax) return
      const next = host.inFlight < pushLimits.requestsPerHostMax ? host.waiting.shift() : undefined
      next?.resolve(true)
      this.#forget(name)
    }
  }

  #hostOf(name: string): ServiceHost {
    const host = this.#hosts.get(name) ?? { inFlight: 0, waiting: [], failures: 0, rest: undefined }
    this.#hosts.set(name, host)
    return host
  }

  /** Names are strangers' words: only those with something to remember stay. */
  #forget(name: string): void {
    const host = this.#hosts.get(name)
    if (host && host.inFlight + host.waiting.length + host.failures === 0 && !host.rest) this.#hosts.delete(name)
  }
}

/** Doubled with each try, and drawn at random below that: many that failed together do not come back together. */
export const pauseMs = (tries: number, random: () => number): number =>
  Math.ceil(Math.min(pushLimits.retryMs * 2 ** Math.min(tries, 20), pushLimits.retryMsMax) * random())
