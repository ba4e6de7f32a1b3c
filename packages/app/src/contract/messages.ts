// What a page and the core's worker say to each other. Plain data: it goes through a port or a BroadcastChannel alike.
import type { FaultView } from './objects.ts'
import type { PushEvent } from './push-events.ts'

export type CallMessage = { kind: 'ask'; id: number; key: string; name: string; asked: unknown }
export type Watch = { kind: 'watch'; id: number; name: string; args: unknown[] }
export type Unwatch = { kind: 'unwatch'; id: number }
export type ToCore = CallMessage | Watch | Unwatch | { kind: 'ping'; id: number } | { kind: 'bye' }

/** As JSON, which it is compared by: a browser takes a text over in a tenth of the time of an object. None for `undefined`. */
export type SeenView = { id: number; json: string | undefined }

export type ToPage =
  | { kind: 'answer'; id: number; ok: unknown }
  | { kind: 'answer'; id: number; fault: FaultView }
  /** Those that one commit has changed: shown together, or a message would stand in the history and in the queue. */
  | { kind: 'views'; views: SeenView[] }
  | { kind: 'tiding'; tiding: PushEvent }
  | { kind: 'pong'; id: number }
  /** A core has begun: what was asked and watched is said again to it. `build`: a page of another build loads itself anew. */
  | { kind: 'ready'; core: string; build: string }

/** Where all pages and the core meet: a page knocks with its name, the core says when it begins. */
export type LobbyMessage = { page: string } | { core: string }

export const LOCK = 'postern-core'
export const LOBBY_CHANNEL = 'postern-hall'
export const roomOf = (page: string): string => `postern-page-${page}`
