// The messages between a page and the core's worker. Plain data: it passes through a port or a BroadcastChannel alike.
import type { FaultView } from './objects.ts'
import type { PushEvent } from './push-events.ts'

export type CallMessage = { kind: 'ask'; id: number; key: string; name: string; asked: unknown }
export type Watch = { kind: 'watch'; id: number; name: string; args: unknown[] }
export type Unwatch = { kind: 'unwatch'; id: number }
export type ToCore = CallMessage | Watch | Unwatch | { kind: 'ping'; id: number } | { kind: 'bye' }

/** As JSON, which is also compared: a browser copies a string in a tenth of the time of an object. None for `undefined`. */
export type SeenView = { id: number; json: string | undefined }

export type ToPage =
  | { kind: 'answer'; id: number; ok: unknown }
  | { kind: 'answer'; id: number; fault: FaultView }
  /** The views that one commit has changed: shown together, or a message would be in the history and in the queue. */
  | { kind: 'views'; views: SeenView[] }
  | { kind: 'tiding'; tiding: PushEvent }
  | { kind: 'pong'; id: number }
  /** A core has started: calls and watches are sent to it again. `build`: a page of another build reloads itself. */
  | { kind: 'ready'; core: string; build: string }

/** The channel on which all pages and the core meet: a page announces its name, the core announces its start. */
export type LobbyMessage = { page: string } | { core: string }

export const LOCK = 'postern-core'
export const LOBBY_CHANNEL = 'postern-hall'
export const roomOf = (page: string): string => `postern-page-${page}`
