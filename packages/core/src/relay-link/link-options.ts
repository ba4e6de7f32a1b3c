// The options that a client gives its link to the relay, and the callbacks that the link calls.
import type { Clock, CodedError, Log } from '@postern/protocol'
import type { CallAnswer, CallRequest, Delivery, EphemeralFrame } from '@postern/protocol/relay'
import type { SocketFactory } from './socket.ts'

export type RelaySession = CallAnswer<'authenticate'>

export interface RelayLinkOptions {
  relayUrl: string
  connect: SocketFactory
  clock: Clock
  log: Log
  /** From 0 to 1: spreads the reconnects of many clients after a relay's restart. */
  jitter: () => number
  prove: (nonce: Uint8Array, audience: string) => Promise<CallRequest<'authenticate'>>
  /** Called first on a new connection; it requests entries. The link is online only when it is done. */
  onSession: (session: RelaySession) => Promise<void>
  /** In wire order. `gap`: entries before the page are missing, so the connection is of no use. */
  onPage: (page: Delivery) => 'news' | 'known' | 'gap'
  /** Never throws. */
  onEphemeral: (frame: EphemeralFrame) => void
  afterTurn: (run: () => void) => void
  /** Called with the relay's time whenever the relay reports it. */
  onTime: (relayMs: number) => void
  /** The relay refuses the device's certificate. `over`: reconnecting soon would be of no use. */
  onRevoked: (error: CodedError) => 'replaced' | 'over'
}
