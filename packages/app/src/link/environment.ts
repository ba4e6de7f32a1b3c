// The parts of the browser that a link needs, so that it can be tested without one.
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

/** `fail`: an uncaught error in it, or its script could not be loaded. */
export type WorkerEvents = { hear: (message: ToPage) => void; fail: () => void }

/** `steal`: from a holder that neither answers nor goes. */
export type LockWish = { signal: AbortSignal } | { steal: true }

export interface LinkEnvironment {
  readonly clock: Clock
  /** Identifies the code of this page. */
  readonly build: string
  /** The memory of this tab, across a reload and no longer. */
  readonly memory: Pick<Storage, 'getItem' | 'setItem'>
  isVisible(): boolean
  newId(): string
  /** Messages are trusted: all senders are of this origin. */
  openChannel<Message>(name: string, hear: (message: Message) => void): Channel
  startWorker(events: WorkerEvents): CoreWorker
  /** The lock is held until `hold` ends. Rejects when the request was withdrawn, or the lock was stolen. */
  requestLock(wish: LockWish, hold: () => Promise<void>): Promise<void>
  reload(): void
}
