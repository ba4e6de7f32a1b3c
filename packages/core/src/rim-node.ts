// Core on Node: its files, its sockets, its cryptography. The one file of core through which Node comes in.
import { type Clock, systemClock } from '@postern/protocol'
import type { Client } from './client.ts'
import type { RequestPolicy } from './context.ts'
import type { FirstStart } from './identity/account.ts'
import { type Log, silentLog } from './log.ts'
import { makeNodeProvider } from './mls/provider-node.ts'
import { openClient } from './open-client.ts'
import type { SocketFactory } from './relay-link/socket.ts'
import { connectNodeSocket } from './relay-link/socket-node.ts'
import { openDataDirectory } from './storage/data-directory-node.ts'
import { Store } from './storage/store.ts'

export interface NodeClientOptions {
  /** Holds `db.key` and the database; made when missing. */
  directory: string
  acceptRequests: RequestPolicy
  /** Asked only when the directory has no account yet. */
  firstStart: () => FirstStart
  /** Journals receipts and calls, too: for people. */
  reportsAll?: boolean
  clock?: Clock
  connect?: SocketFactory
  log?: Log
}

export async function openNodeClient(options: NodeClientOptions): Promise<Client> {
  const store = new Store(openDataDirectory(options.directory), setImmediate)
  try {
    return await openClient({
      store,
      provider: makeNodeProvider(),
      clock: options.clock ?? systemClock,
      log: options.log ?? silentLog,
      connect: options.connect ?? connectNodeSocket,
      jitter: Math.random,
      acceptRequests: options.acceptRequests,
      reportsAll: options.reportsAll ?? false,
      firstStart: options.firstStart,
    })
  } catch (error) {
    store.close()
    throw error
  }
}

export type { RelaySocket, SocketEvents, SocketFactory } from './relay-link/socket.ts'
export { connectNodeSocket } from './relay-link/socket-node.ts'
export { openDataDirectory } from './storage/data-directory-node.ts'
