// Bounds the connections of the server. Callers that have shown neither a token nor a hook's secret cannot take the places of others.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { gatewayLimits } from '@postern/protocol'

/** The set of strangers in which a connection is counted. */
const countedIn = new WeakMap<Socket, Set<Socket>>()

/** The caller has shown a token or a secret: its connection keeps its slot. */
export function trustConnection(socket: Socket): void {
  countedIn.get(socket)?.delete(socket)
}

export function boundConnections(server: Server): void {
  /** The oldest first. */
  const strangers = new Set<Socket>()
  server.maxConnections = gatewayLimits.connectionsMax
  server.on('connection', socket => {
    strangers.add(socket)
    countedIn.set(socket, strangers)
    socket.once('close', () => strangers.delete(socket))
    const [oldest] = strangers
    // A new caller sends its request soon: the one that has waited longest makes space.
    if (strangers.size > gatewayLimits.strangersMax) oldest?.destroy()
  })
}
