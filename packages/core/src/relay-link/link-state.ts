// The state of a link to the relay, and its current connection.
import type { Timer } from '@postern/protocol'
import type { PageLane } from './page-lane.ts'
import type { PendingCalls } from './pending-calls.ts'
import type { RelaySocket } from './socket.ts'

export type LinkState =
  | { kind: 'idle' }
  | { kind: 'stopped' }
  | { kind: 'waiting'; timer: Timer }
  | { kind: 'connecting'; connection: LinkConnection }
  /** The relay answers; what the last connection left open is settled before any other call. */
  | { kind: 'settling'; connection: LinkConnection }
  | { kind: 'online'; connection: LinkConnection }

export type AcknowledgedPosition = { cursor: number; mark: number }

export type LinkConnection = {
  socket: RelaySocket
  calls: PendingCalls
  pages: PageLane
  watch: Timer
  isAlive: boolean
  /** The position that was last acknowledged over it. */
  told: AcknowledgedPosition
  /** The nonce of the relay's challenge, once it has come, and the relay's time in it. */
  nonce?: Uint8Array
  relayMs?: number
  /** The relay has broken the protocol over it, or claims what costs much work. */
  isDoubted?: true
}
