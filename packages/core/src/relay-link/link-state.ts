// Where a link to the relay stands, and the connection that it has meanwhile.
import type { Timer } from '@postern/protocol'
import type { PageLane } from './page-lane.ts'
import type { PendingCalls } from './pending-calls.ts'
import type { RelaySocket } from './socket.ts'

export type LinkState =
  | { kind: 'idle' }
  | { kind: 'stopped' }
  | { kind: 'waiting'; timer: Timer }
  | { kind: 'connecting'; connection: LinkConnection }
  /** The relay answers; what the last connection left open is settled before anybody else may speak. */
  | { kind: 'settling'; connection: LinkConnection }
  | { kind: 'online'; connection: LinkConnection }

export type AcknowledgedPosition = { cursor: number; mark: number }

export type LinkConnection = {
  socket: RelaySocket
  calls: PendingCalls
  pages: PageLane
  watch: Timer
  isAlive: boolean
  /** What the relay was last told over it. */
  told: AcknowledgedPosition
  /** Of the relay's challenge, once it has come, and its time then. */
  nonce?: Uint8Array
  relayMs?: number
}
