// Notifies devices that are away. Entries that wait are in the database; memory holds only those on their way.
import { randomInt } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type Clock,
  Deferred,
  type GroupId,
  inBackground,
  type Log,
  logFault,
  pushLimits,
  type Timer,
} from '@postern/protocol'
import type { Fence } from '../store/fence.ts'
import type { PushListener } from '../store/push-signals.ts'
import type { AwayDevice, DueDevice, PushLook, PushStore } from '../store/push-store.ts'
import { CrowdedGroups, type LookVerdict } from './crowded-groups.ts'
import { DeviceTeller } from './device-teller.ts'
import { KnownDevices } from './known-devices.ts'
import type { PushPoster } from './post-push.ts'
import type { PushKeys } from './push-keys.ts'
import { PushServices } from './push-services.ts'
import { PushedPositions } from './pushed-positions.ts'
import type { PushObserver } from './send-push.ts'
import { StoppableTimers } from './stoppable-timers.ts'
import { SubscriptionScan } from './subscription-scan.ts'
import { WaitingDevices } from './waiting-devices.ts'

type Parts = {
  store: PushStore
  keys: PushKeys
  poster: PushPoster
  clock: Clock
  log: Log
  contact: string
  observe: PushObserver
  /** Entries of mailboxes were read. */
  onRead?: ((entries: number) => void) | undefined
  random?: (() => number) | undefined
}
/** `next`: the position of the next page. `isEarly`: there will be more in mailboxes soon. */
type LookedAt = { next: string | undefined; isEarly: boolean; verdicts: Iterable<LookVerdict> }
/** `isConnected`: to this relay. */
type Around = { isConnected: (device: string) => boolean }

export class Pusher implements PushListener {
  readonly #parts: Parts
  readonly #services: PushServices
  readonly #stop = new AbortController()
  readonly #teller: DeviceTeller
  readonly #known = new KnownDevices()
  /** Devices with a push on its way. */
  readonly #active = new Map<string, Promise<void>>()
  /** Active devices for which there may be more by now. */
  readonly #again = new Set<string>()
  readonly #positions: PushedPositions
  readonly #waiting: WaitingDevices
  #groups = new Set<number>()
  #devices = new Set<string>()
  readonly #scan = new SubscriptionScan()
  #scanTimer: Timer | undefined
  readonly #crowded: CrowdedGroups
  /** For looks that are repeated soon. */
  readonly #soon: StoppableTimers
  #isLeader = false
  #woken = new Deferred()
  #running: Promise<void> | undefined
  #isConnected: Around['isConnected'] = () => false
  /** Resolves when no look is under way. */
  #looking: Promise<void> = Promise.resolve()

  constructor(parts: Parts) {
    this.#parts = parts
    const random = parts.random ?? (() => randomInt(2 ** 32) / 2 ** 32)
    this.#positions = new PushedPositions(parts)
    this.#soon = new StoppableTimers(parts.clock)
    this.#crowded = new CrowdedGroups({ soon: this.#soon, onTime: group => this.marked([group]) })
    this.#waiting = new WaitingDevices({ clock: parts.clock, onTime: device => this.#lookSoon(device) })
    this.#services = new PushServices({ clock: parts.clock, random, onRested: () => this.missed() })
    this.#teller = new DeviceTeller({
      ...{ ...parts, random, signal: this.#stop.signal },
      ...{ known: this.#known, waiting: this.#waiting, services: this.#services, positions: this.#positions },
      isConnected: device => this.#isConnected(device),
      lookOver: () => this.#looking,
    })
  }

  start({ isConnected }: Around): void {
    this.#isConnected = isConnected
    this.#running = this.#run()
    this.#scanLater()
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    this.#services.stop()
    this.#scanTimer?.cancel()
    this.#soon.stop()
    this.#waiting.stop()
    this.#wake()
    await Promise.all([this.#running, ...this.#active.values()])
    await this.#positions.written()
    this.#parts.poster.close()
  }

  marked(groups: readonly number[]): void {
    // The others hear of it too, and one of them pushes.
    if (!this.#isLeader) return
    if (this.#groups.size >= pushLimits.groupsHintedMax) return this.missed()
    for (const group of groups) this.#groups.add(group)
    this.#wake()
  }

  left(device: string): void {
    this.#crowded.clear()
    if (this.#isLeader) this.#waiting.lookAfter(device, pushLimits.awayAfterMs)
  }

  missed(): void {
    this.#crowded.clear()
    this.#scan.ask()
    this.#wake()
  }

  /** A device has closed its connection to this relay. A look finds it only after that is stored. */
  leftHere(device: string, fence: Fence | undefined): void {
    if (this.#stop.signal.aborted) return
    const { store, log } = this.#parts
    const noted = (fence ? store.noteLeft(fence) : Promise.resolve()).finally(() => this.left(device))
    inBackground(noted, { what: 'device not noted as away', log })
  }

  /** How long the oldest entry has waited, of those that are on their way or wait for their time. */
  get oldestAgeMs(): number {
    return this.#waiting.oldestAgeMs
  }

  get waitingCount(): number {
    return this.#waiting.count
  }

  #wake(): void {
    this.#woken.resolve()
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    const { log } = this.#parts
    while (!this.#stop.signal.aborted) {
      try {
        await this.#turn()
      } catch (error) {
        this.#isLeader = false
        logFault(error, { what: 'pushes not looked for; will retry', log })
        await this.#soon.pause(pushLimits.leadEveryMs, this.#stop.signal)
      }
    }
  }

  async #turn(): Promise<void> {
    const { store } = this.#parts
    const leads = await store.lead()
    if (leads && !this.#isLeader) this.#beginToLead()
    this.#isLeader = leads
    if (!leads) return await this.#soon.pause(pushLimits.leadEveryMs, this.#stop.signal)
    this.#woken = new Deferred()
    await this.#lookAtSignals()
    const after = this.#scan.page()
    if (after !== undefined) this.#scan.lookedAt((await this.#look({ kind: 'all', after })).next)
    else if (this.#groups.size + this.#devices.size === 0) await this.#woken.promise
  }

  /** Signals of the time before went to another relay, or to nobody. A second scan finds messages that were under way. */
  #beginToLead(): void {
    this.#scan.restart()
    this.#known.readAgain()
    this.#soon.after(pushLimits.awayAfterMs, () => this.missed())
  }

  async #lookAtSignals(): Promise<void> {
    const [groups, devices] = [this.#groups, [...this.#devices]]
    this.#groups = new Set()
    this.#devices = new Set()
    for (const group of groups) if (!this.#crowded.waits(group)) await this.#lookAtGroup(group)
    for (let at = 0; at < devices.length; at += pushLimits.devicesPerLook) {
      const some = devices.slice(at, at + pushLimits.devicesPerLook)
      await this.#look({ kind: 'devices', devices: some, after: '' })
    }
  }

  async #lookAtGroup(group: number): Promise<void> {
    const verdicts = new Set<LookVerdict>()
    let page: LookedAt = { next: '', isEarly: false, verdicts }
    while (page.next !== undefined && !this.#stop.signal.aborted) {
      page = await this.#look({ kind: 'group', group, after: page.next })
      for (const verdict of page.verdicts) verdicts.add(verdict)
    }
    if (!page.isEarly) this.#crowded.lookedAt(group, verdicts)
  }

  async #look(asked: PushLook): Promise<LookedAt> {
    const looking = this.#lookAt(asked)
    this.#looking = looking.then(() => undefined).catch(() => undefined)
    return await looking
  }

  async #lookAt(asked: PushLook): Promise<LookedAt> {
    const { away, next, group, isEarly } = await this.#parts.store.look(asked)
    if (asked.kind === 'devices') {
      const found = new Set(away.map(({ device }) => device))
      for (const device of asked.devices) if (!found.has(device)) this.#waiting.waitsForNothing(device)
    }
    const verdicts = away.map(each => this.#verdictOn(each, group))
    const toRead = away.filter((_, at) => verdicts[at] === 'read')
    for (let at = 0; at < toRead.length; at += pushLimits.mailboxesPerLook)
      await this.#readMailboxes(toRead.slice(at, at + pushLimits.mailboxesPerLook))
    // Those who are connected come first, between any two looks.
    await nextTurn()
    if (isEarly && asked.kind === 'group') this.#soon.after(pushLimits.lookAgainMs, () => this.marked([asked.group]))
    return { next, isEarly, verdicts }
  }

  /** Without a push that may go out now, a device has a time or is found by a scan: its mailbox is not read before. */
  #verdictOn({ device, endpoint }: AwayDevice, group: GroupId | undefined): LookVerdict {
    if (this.#isConnected(device)) {
      this.#waiting.waitsForNothing(device)
      return 'connected'
    }
    if (this.#active.has(device)) {
      this.#again.add(device)
      return 'later'
    }
    if (!this.#hasCapacity(device, endpoint)) return 'crowded'
    const nowMs = this.#parts.clock.monotonicMs()
    const freeAtMs = this.#known.freeAtMs(device, { group, nowMs })
    if (freeAtMs <= nowMs) return 'read'
    this.#waiting.lookAfter(device, freeAtMs - nowMs)
    this.#waiting.waitsToo(device)
    return 'later'
  }

  #hasCapacity(device: string, endpoint: string): boolean {
    if (this.#stop.signal.aborted || this.#active.has(device) || this.#active.size >= pushLimits.devicesMax)
      return false
    return this.#services.admits(URL.parse(endpoint)?.host ?? '')
  }

  async #readMailboxes(some: readonly AwayDevice[]): Promise<void> {
    const { store, clock, onRead } = this.#parts
    const nowMs = clock.nowMs()
    const mailboxes = some.map(of => ({ of, after: this.#known.readAfter(of, nowMs) }))
    for (const due of await store.read({ nowMs, mailboxes })) {
      onRead?.(due.entriesRead)
      if (due.groups.size > 0 || due.more || this.#known.hasWaiting(due.device)) this.#take(due)
      else this.#nothingIn(due)
    }
    await nextTurn()
  }

  #nothingIn(due: DueDevice): void {
    this.#waiting.waitsForNothing(due.device)
    if (due.entriesRead > 0) this.#known.of(due.device).add(due, this.#parts.clock.monotonicMs())
  }

  /** A later scan finds devices that are not taken now. */
  #take(due: DueDevice): void {
    const { device, endpoint } = due
    if (this.#active.has(device)) this.#again.add(device)
    if (this.#isConnected(device) || !this.#hasCapacity(device, endpoint)) return
    this.#active.set(device, this.#tellOnce(due))
  }

  /** Never rejects. */
  async #tellOnce(due: DueDevice): Promise<void> {
    const { device } = due
    try {
      if ((await this.#teller.tell(due)) === 'more') this.#again.add(device)
    } catch (error) {
      logFault(error, { what: 'device not told; will retry', log: this.#parts.log })
    } finally {
      this.#active.delete(device)
      this.#waiting.returned(device)
      if (this.#again.delete(device)) this.#lookSoon(device)
    }
  }

  #lookSoon(device: string): void {
    this.#devices.add(device)
    this.#wake()
  }

  #scanLater(): void {
    this.#scanTimer = this.#parts.clock.setTimer(pushLimits.scanEveryMs, () => {
      this.missed()
      this.#known.forgetStale(this.#parts.clock.monotonicMs())
      this.#scanLater()
    })
  }
}
