// The MLS groups in use: one lane each, so that nothing is encrypted or decrypted twice from one state.
import {
  encodeWhole,
  epoch,
  type GroupSession,
  isFirstFormat,
  type MlsContext,
  openSession,
  openWholeSession,
} from '@postern/mls'
import {
  type ChatId,
  type Clock,
  CodedError,
  clientLimits,
  Deferred,
  type GroupId,
  KeyedQueue,
} from '@postern/protocol'
import type { DatabaseChange, Durability, Store } from '../storage/transactions/store.ts'
import { epochState, findGroup, storedSecrets, writeState } from './group-records.ts'
import { hasKeys } from './keyless-groups.ts'
import { findPending, type PendingCommit, replaceNextState } from './pending-commits.ts'

export type LiveGroup = {
  readonly id: GroupId
  readonly chat: ChatId
  session: GroupSession
  /** Its keys are lost: no caller need wait for anything in it. */
  isBroken: boolean
  /** Writes in progress: until they are done, the database is behind. */
  unsaved: number
  /** A commit of ours that the relay has not answered, or whose place in the log is not reached yet. */
  pending: (PendingCommit & { next: GroupSession }) | undefined
  /** The time of the last entry that was read: the next one is later, whatever the relay says. */
  lastTs: number
  /** The tree and the roster version that were last found to have the same members. */
  compared: { tree: unknown; rosterVersion: number } | undefined
}

export class GroupSessions {
  readonly #store: Store
  readonly #mls: MlsContext
  readonly #clock: Clock
  readonly #live = new Map<GroupId, LiveGroup>()
  readonly #lanes = new KeyedQueue<GroupId>()
  readonly #loading = new Set<GroupId>()
  /** Forgotten while a write was in progress: read before its end, keys would be used again. */
  readonly #unwritten = new Set<GroupId>()
  readonly #watchers = new Set<(group: GroupId | 'stopping') => void>()

  #isStopped = false

  constructor({ store, mls, clock }: { store: Store; mls: MlsContext; clock: Clock }) {
    this.#store = store
    this.#mls = mls
    this.#clock = clock
  }

  /** One at a time per group. Its changes of the group are written in the same order. */
  async run<T>(group: GroupId, work: (live: LiveGroup) => Promise<T>): Promise<T> {
    try {
      return await this.#lanes.run(group, async () => await work(this.#cached(group) ?? (await this.#load(group))))
    } finally {
      this.#tell(group)
    }
  }

  /** In the group's lane: a group that is joined, or joined again over a state that is of no use any more. */
  async replace(group: GroupId, join: () => Promise<LiveGroup>): Promise<void> {
    await this.#lanes.run(group, async () => this.put(await join()))
  }

  /** Writes the lane's changes. If that fails, the group is read again: the database is authoritative. */
  async save<T>(live: LiveGroup, change: DatabaseChange<T>, durability?: Durability): Promise<T> {
    live.unsaved++
    try {
      return await this.#store.write(change, durability)
    } catch (error) {
      this.forget(live.id)
      throw error
    } finally {
      live.unsaved--
    }
  }

  /**
   * Call this in the group's lane before deciding by the records. A commit that was just read is in force before its
   * records are written, and a decision would be based on the previous epoch.
   */
  async recorded(live: LiveGroup): Promise<void> {
    if (findGroup(this.#store, live.id)?.epoch !== epochOf(live)) await this.#store.caughtUp()
  }

  /** A group that is joined now. */
  liveGroup({ id, chat, session }: Pick<LiveGroup, 'id' | 'chat' | 'session'>): LiveGroup {
    const lastTs = this.#live.get(id)?.lastTs ?? 0
    return { id, chat, session, isBroken: false, unsaved: 0, pending: undefined, lastTs, compared: undefined }
  }

  put(live: LiveGroup): void {
    this.#live.delete(live.id)
    this.#live.set(live.id, live)
    this.#trim()
    this.#tell(live.id)
  }

  has(group: GroupId): boolean {
    return this.#live.has(group) || findGroup(this.#store, group) !== undefined
  }

  /** Known by its id alone: its keys were lost with an earlier database. */
  isKeyless(group: GroupId): boolean {
    return !this.#live.has(group) && !hasKeys(this.#store, group)
  }

  /** The group is read again from the database. */
  forget(group: GroupId): void {
    const live = this.#live.get(group)
    this.#live.delete(group)
    if (live && (live.unsaved > 0 || this.#lanes.isBusy(group))) this.#unwritten.add(group)
  }

  forgetAll(): void {
    for (const group of [...this.#live.keys()]) this.forget(group)
  }

  /** Resolves when the group has reached the epoch, or never will. */
  async untilEpoch(group: GroupId, epoch: number, withinMs: number): Promise<void> {
    await this.until(group, live => live.isBroken || epochOf(live) >= epoch, withinMs)
    await this.#store.caughtUp()
  }

  /** Resolves when the current group meets the condition; rejects when the time is up. */
  until(group: GroupId, isMet: (live: LiveGroup) => boolean, withinMs: number): Promise<void> {
    if (this.#isStopped) return Promise.reject(new CodedError('stopping'))
    const live = this.#live.get(group)
    if (live && isMet(live)) return Promise.resolve()
    if (!live && !this.has(group)) return Promise.reject(new CodedError('group-unknown'))
    const wait = new Deferred()
    wait.after(this.#clock, withinMs, () => wait.reject(new CodedError('send-in-doubt')))
    const watcher = (touched: GroupId | 'stopping') => {
      if (touched === 'stopping') return wait.reject(new CodedError('stopping'))
      if (touched !== group) return
      const live = this.#live.get(group)
      if (!live) this.#loadLater(group)
      else if (isMet(live)) wait.resolve()
    }
    this.#watchers.add(watcher)
    wait.onSettled(() => this.#watchers.delete(watcher))
    if (!live) this.#loadLater(group)
    return wait.promise
  }

  /** The condition of a waiting caller may have been met outside of the group's lane. */
  touched(group: GroupId): void {
    this.#tell(group)
  }

  /** Nothing more will come: callers that wait for a group get `stopping`. */
  stop(): void {
    this.#isStopped = true
    for (const watcher of [...this.#watchers]) watcher('stopping')
  }

  /** Loads the group in its lane, and then notifies the callers that wait for it. */
  #loadLater(group: GroupId): void {
    // Once at a time: unreadable keys would be tried repeatedly.
    if (this.#loading.has(group) || !this.has(group)) return
    this.#loading.add(group)
    const over = () => this.#loading.delete(group)
    this.run(group, async () => undefined).then(over, over)
  }

  #cached(group: GroupId): LiveGroup | undefined {
    const cached = this.#live.get(group)
    if (!cached) return undefined
    this.#live.delete(group)
    this.#live.set(group, cached)
    return cached
  }

  async #load(group: GroupId): Promise<LiveGroup> {
    if (this.#unwritten.delete(group)) await this.#store.caughtUp()
    const row = findGroup(this.#store, group)
    if (!row) throw new CodedError('group-unknown')
    if (this.isKeyless(group)) throw new CodedError('chat-healing')
    const pending = findPending(this.#store, group)
    const epochBlob = epochState(this.#store, group)
    const live: LiveGroup = {
      id: group,
      chat: row.chat_id,
      isBroken: row.status === 'broken',
      unsaved: 0,
      lastTs: 0,
      compared: undefined,
      session: openSession(this.#mls, { epochBlob, secretRows: storedSecrets(this.#store, group) }),
      pending: pending && { ...pending, next: openWholeSession(this.#mls, pending.nextState) },
    }
    if (isFirstFormat(epochBlob)) await this.#rewrite(live)
    this.put(live)
    return live
  }

  /** The group was stored in the first format, in which used keys could be found again. This removes them. */
  async #rewrite({ id, session, pending }: LiveGroup): Promise<void> {
    await this.#store.write(database => {
      writeState(database, id, session)
      if (pending) replaceNextState(database, id, encodeWhole(pending.next.state))
    })
    this.#store.eraseTraces()
  }

  /** Groups in use stay: they hold more than the database has yet. */
  #trim(): void {
    if (this.#live.size <= clientLimits.groupSessionsCachedMax) return
    for (const [id, live] of this.#live) {
      if (this.#live.size <= clientLimits.groupSessionsCachedMax) return
      if (!this.#lanes.isBusy(id) && live.unsaved === 0) this.#live.delete(id)
    }
  }

  #tell(group: GroupId): void {
    for (const watcher of this.#watchers) watcher(group)
  }
}

export const epochOf = (live: LiveGroup): number => epoch(live.session)
export const epochBytes = (session: GroupSession): Uint8Array => encodeWhole(session.state)
