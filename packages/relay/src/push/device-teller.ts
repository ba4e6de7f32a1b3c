// Sends a device the pushes whose time has come.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '@postern/protocol'
import { pushLimits } from '@postern/protocol'
import type { DueDevice, PushStore } from '../store/push-store.ts'
import type { DevicePushes, ReadyPush } from './device-pushes.ts'
import type { KnownDevices } from './known-devices.ts'
import type { PushPoster } from './post-push.ts'
import type { PushKeys } from './push-keys.ts'
import { pushPost } from './push-message.ts'
import { type PushServices, pauseMs } from './push-services.ts'
import type { PushedPositions } from './pushed-positions.ts'
import { type PushDraft, type PushObserver, sendPush } from './send-push.ts'
import { Vapid } from './vapid.ts'
import type { WaitingDevices } from './waiting-devices.ts'

type Parts = {
  store: PushStore
  keys: PushKeys
  poster: PushPoster
  clock: Clock
  contact: string
  observe: PushObserver
  random: () => number
  signal: AbortSignal
  known: KnownDevices
  waiting: WaitingDevices
  services: PushServices
  positions: PushedPositions
  isConnected: (device: string) => boolean
  /** Resolves when no look is under way. */
  lookOver: () => Promise<void>
}

export class DeviceTeller {
  readonly #parts: Parts
  #vapid: Vapid | undefined
  #pace: Promise<void> = Promise.resolve()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** `more`: the mailbox has entries that are not read yet. */
  async tell(due: DueDevice): Promise<'all' | 'more'> {
    const { clock, known, waiting, positions } = this.#parts
    const pushes = known.of(due.device)
    pushes.add(due, clock.monotonicMs())
    const { ready, nextMs, oldestTs } = pushes.sort(due, clock.monotonicMs())
    if (oldestTs !== undefined) waiting.waitsSince(due.device, oldestTs)
    for (const push of ready) if ((await this.#push(due, push, pushes)) === 'stop') break
    const settled = pushes.settledThrough
    if (settled > due.pushed && (ready.length > 0 || due.more)) positions.note(due.device, settled)
    const nowMs = clock.monotonicMs()
    const times = [nextMs ?? 0, pushes.retryAtMs].filter(ms => ms > nowMs)
    if (times.length > 0) waiting.lookAfter(due.device, Math.min(...times) - nowMs)
    // Groups for which there was no space have some after the next push.
    const hasMore = pushes.hasRead(due) ? due.more : times.length === 0
    return hasMore ? 'more' : 'all'
  }

  async #push(due: DueDevice, push: ReadyPush, pushes: DevicePushes): Promise<'next' | 'stop'> {
    const { store, clock, known, random, signal, lookOver } = this.#parts
    const draft = { host: new URL(due.endpoint).host, write: () => this.#write(due, push) }
    const result = await sendPush(this.#parts, draft, signal)
    switch (result.kind) {
      case 'sent':
      case 'refused':
        pushes.settled(push, clock.monotonicMs())
        return 'next'
      case 'gone':
        known.forget(due.device)
        await store.drop(due.device, due.endpoint)
        // A look that began before may still find the device: it comes while the device is active, and is ignored.
        await lookOver()
        return 'stop'
      case 'again':
        pushes.tries += 1
        pushes.retryAtMs = clock.monotonicMs() + (result.afterMs ?? pauseMs(pushes.tries - 1, random))
        return 'stop'
      case 'unsent':
        return 'stop'
    }
  }

  /** While the push has waited for its host, it can have become too old, and its device can have come back. */
  async #write(due: DueDevice, push: ReadyPush): ReturnType<PushDraft['write']> {
    const { store, keys, clock, contact, signal, isConnected } = this.#parts
    // The next look leaves it out.
    if (push.newest.ts <= clock.nowMs() - pushLimits.ttlMs) return { kind: 'unsent' }
    const pair = await keys.get()
    this.#vapid ??= new Vapid(pair, { clock, contact })
    const preview = await store.previewOf(push.newest.entry)
    // Sealing takes a fraction of a millisecond: one in each turn of the event loop.
    await (this.#pace = this.#pace.then(() => nextTurn()))
    if (signal.aborted || isConnected(due.device)) return { kind: 'unsent' }
    return pushPost(due, { push, preview, topicKey: pair.privateKey, vapid: this.#vapid }) ?? { kind: 'gone' }
  }
}
