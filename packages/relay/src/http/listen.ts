// Opens the port of an HTTP server.
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ListenAddress, relayFixedLimits } from '@postern/protocol'

/** Resolves with the port number. */
export async function listenOn(server: Server, { host, port }: ListenAddress): Promise<number> {
  const listening = once(server, 'listening')
  server.listen({ host, port, backlog: relayFixedLimits.listenBacklog })
  await listening
  return (server.address() as AddressInfo).port
}
