// What a link needs of the browser, so that it can be tried without one.
import type { Clock } from '@postern/protocol'
import type { ToPage } from '../contract/messages.ts'

export interface Channel {
  postMessage(message: unknown): void
  close(): void
}

export interface CoreWorker {
  postMessage(message: unknown): void
  terminate(): void
}

/** `fail`: something was thrown in it that nobody caught, or its script did not come. */
export type WorkerEvents = { hear: (message: ToPage) => void; fail: () => void }

/** `steal`: from a holder that neither answers nor goes. */
export type LockWish = { signal: AbortSignal } | { steal: true }

export interface LinkEnvironment {
  readonly clock: Clock
  /** Names the code of this page. */
  readonly build: string
  /** What this tab remembers over a reload, and no longer. */
  readonly memory: Pick<Storage, 'getItem' | 'setItem'>
  isVisible(): boolean
  newId(): string
  /** What is heard is as its sender says: all of them are of this origin. */
  openChannel<Message>(name: string, hear: (message: Message) => void): Channel
  startWorker(events: WorkerEvents): CoreWorker
  /** The lock is held until `hold` ends. Rejects when the wish was withdrawn, or the lock was stolen. */
  requestLock(wish: LockWish, hold: () => Promise<void>): Promise<void>
  reload(): void
}
