// Opens the server's port and closes it gracefully: no new requests, and answers to the current ones within a limit.
import type { AddressInfo } from 'node:net'
import { type Clock, gatewayLimits, type ListenAddress, listenPlace } from '@postern/protocol'
import { wakeNextTurn } from '@postern/protocol/node'
import type { FastifyInstance } from 'fastify'
import { settingFault } from '../config.ts'
import type { GracefulClose } from './graceful-close.ts'

/** Resolves with the port. Without a host: every address of the machine, or those of IPv4 if IPv6 is off. */
export async function listen(server: FastifyInstance, address: ListenAddress): Promise<number> {
  const hosts = address.host === undefined ? ['::', '0.0.0.0'] : [address.host]
  for (const host of hosts) {
    try {
      await server.listen({ host, port: address.port })
      return (server.server.address() as AddressInfo).port
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EAFNOSUPPORT' && host !== hosts.at(-1)) continue
      throw code === undefined ? error : listenFault(address, code)
    }
  }
  throw new Error('there is always a host to try')
}

function listenFault(address: ListenAddress, code: string): Error {
  const where = listenPlace(address)
  return settingFault('LISTEN', code === 'EADDRINUSE' ? `${where} is in use` : `${where} cannot be opened (${code})`)
}

type Closing = { stopping: GracefulClose; clock: Clock }

export async function closeServer(server: FastifyInstance, { stopping, clock }: Closing): Promise<void> {
  const lastCall = clock.setTimer(gatewayLimits.requestsEndWithinMs, () => stopping.lastCall())
  const cut = clock.setTimer(gatewayLimits.connectionsEndWithinMs, () => server.server.closeAllConnections())
  const closed = server.close()
  wakeNextTurn(() => stopping.closeUnused())
  await closed
  lastCall.cancel()
  cut.cancel()
}
