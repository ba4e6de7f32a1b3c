// A connection as core needs it: frames out, frames in. Node and the browser bring one, and tests one that they can cut.

export interface RelaySocket {
  send(frame: Uint8Array): void
  close(): void
}

export interface SocketEvents {
  message(frame: Uint8Array): void
  /** Once, and nothing after it. The code is the peer's, where it said goodbye. */
  closed(reason: string, code?: number): void
}

export type SocketFactory = (url: string, events: SocketEvents) => RelaySocket

/** One place on the relay's origin takes the WebSocket. */
export function socketUrl(relayUrl: string): string {
  const url = new URL('/relay/v1', relayUrl)
  url.protocol = url.protocol.replace('http', 'ws')
  return url.href
}

/** The only words of a relay's goodbye that are listened to. */
export const VERSION_GOODBYE = 'version-unsupported'

export const goodbyeOf = (code: number, words: string): string =>
  words === VERSION_GOODBYE ? VERSION_GOODBYE : `closed (${code})`
