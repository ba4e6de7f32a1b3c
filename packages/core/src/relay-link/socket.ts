// A connection as the core needs it: frames out, frames in.
// Node and the browser have one each, and tests have one that they can cut.

export interface RelaySocket {
  send(frame: Uint8Array): void
  close(): void
}

export interface SocketEvents {
  message(frame: Uint8Array): void
  /** Called once, and nothing after it. The code is the peer's, if it closed the connection. */
  closed(reason: string, code?: number): void
}

export type SocketFactory = (url: string, events: SocketEvents) => RelaySocket

/** The path on the relay's origin that accepts the WebSocket. */
export function socketUrl(relayUrl: string): string {
  const url = new URL('/relay/v1', relayUrl)
  url.protocol = url.protocol.replace('http', 'ws')
  return url.href
}

/** The only close reason of a relay that the client interprets. */
export const VERSION_GOODBYE = 'version-unsupported'

export const goodbyeOf = (code: number, words: string): string =>
  words === VERSION_GOODBYE ? VERSION_GOODBYE : `closed (${code})`
