// What a link to the relay is given by its client, and what it hands back.
import type { Clock, CodedError, Log } from '@postern/protocol'
import type { CallAnswer, CallRequest, Delivery } from '@postern/protocol/relay'
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
  /** The first thing on a new connection; entries are asked for in it. Only when it is done the link is online. */
  onSession: (session: RelaySession) => Promise<void>
  /** In wire order. `gap`: entries before the page have not come, so that the connection is of no use. */
  onPage: (page: Delivery) => 'news' | 'known' | 'gap'
  afterTurn: (run: () => void) => void
  /** What the relay's clock says, whenever it tells. */
  onTime: (relayMs: number) => void
  /** The relay refuses the device's certificate. `over`: coming back soon would be of no use. */
  onRevoked: (error: CodedError) => 'replaced' | 'over'
}
