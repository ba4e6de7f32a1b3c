// The devices that a look has read lately, up to a number: the least recently used is forgotten first.
import { type GroupId, pushLimits } from '@postern/protocol'
import type { AwayDevice } from '../store/push-store.ts'
import { DevicePushes } from './device-pushes.ts'

export class KnownDevices {
  /** The least recently used first. */
  readonly #known = new Map<string, DevicePushes>()

  of(device: string): DevicePushes {
    const known = this.#known.get(device) ?? new DevicePushes()
    this.#known.delete(device)
    this.#known.set(device, known)
    const [first] = this.#known.keys()
    if (this.#known.size > pushLimits.devicesKnownMax && first !== undefined) this.#known.delete(first)
    return known
  }

  /** When a push of the group may go out; without a group, any push. */
  freeAtMs(device: string, { group, nowMs }: { group: GroupId | undefined; nowMs: number }): number {
    return this.#known.get(device)?.freeAtMs(group, nowMs) ?? nowMs
  }

  readAfter(away: AwayDevice, nowMs: number): number {
    return this.#known.get(away.device)?.readAfter(away, nowMs) ?? Math.max(away.read, away.pushed)
  }

  hasWaiting(device: string): boolean {
    return this.#known.get(device)?.hasWaiting ?? false
  }

  /** Another relay may have pushed since. */
  readAgain(): void {
    for (const pushes of this.#known.values()) pushes.readAgain()
  }

  forget(device: string): void {
    this.#known.delete(device)
  }

  forgetStale(nowMs: number): void {
    for (const [device, pushes] of this.#known) if (pushes.isStale(nowMs)) this.#known.delete(device)
  }
}
