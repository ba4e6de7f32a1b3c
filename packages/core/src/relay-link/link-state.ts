// Where a link to the relay stands, and the connection that it has meanwhile.
import type { Timer } from '@postern/protocol'
import type { PendingCalls } from './pending-calls.ts'
import type { RelaySocket } from './socket.ts'

export type LinkState =
  | { kind: 'idle' }
  | { kind: 'stopped' }
  | { kind: 'waiting'; timer: Timer }
  | { kind: 'connecting'; connection: Connection }
  /** The relay answers; what the last connection left open is settled before anybody else may speak. */
  | { kind: 'settling'; connection: Connection }
  | { kind: 'online'; connection: Connection }

export type Acknowledged = { cursor: number; mark: number }

export type Connection = {
  socket: RelaySocket
  calls: PendingCalls
  watch: Timer
  isAlive: boolean
  /** What the relay was last told over it. */
  told: Acknowledged
}
