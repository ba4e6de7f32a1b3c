// Core on Node: its files, its sockets, its cryptography. The one file of core through which Node comes in.
import { join } from 'node:path'
import { assertPatched } from '@postern/mls'
import { makeNodeProvider } from '@postern/mls/node'
import { type Clock, clientLimits, guardedClock, type Log, silentLog, systemClock } from '@postern/protocol'
import { wakeNextTurn } from '@postern/protocol/node'
import { ChatTexts } from './chats/records/chat-texts.ts'
import type { Client } from './client/client.ts'
import { type AccountOrigin, openClient } from './client/open-client.ts'
import type { RequestPolicy } from './context.ts'
import { nodeFileCipher } from './files/cipher/file-cipher-node.ts'
import type { BlobTransportFactory } from './files/transport/blob-transport.ts'
import { connectNodeBlobs } from './files/transport/blob-transport-node.ts'
import { openNodeFileVault } from './files/vault/file-vault-node.ts'
import type { SocketFactory } from './relay-link/socket.ts'
import { connectNodeSocket } from './relay-link/socket-node.ts'
import { openDataDirectory } from './storage/directory/data-directory-node.ts'
import { Store } from './storage/transactions/store.ts'

const FILES_FOLDER = 'files'

export interface NodeClientOptions {
  /** Holds `db.key`, the database and the files; made when missing. */
  directory: string
  acceptRequests: RequestPolicy
  /** Asked only when the directory has no account yet. */
  firstStart: () => AccountOrigin
  /** Where the relay is said to be. Of an account that is registered it is followed when the relay there knows it. */
  relayUrl?: string | undefined
  /** The code by which the relay takes a new account; of use until it is registered. */
  relayInvite?: string | undefined
  /** Journals receipts and calls, too: for people. */
  reportsAll?: boolean
  clock?: Clock
  connect?: SocketFactory
  connectBlobs?: BlobTransportFactory
  /** How much ciphertext of files is kept. */
  fileCacheBytesMax?: number
  log?: Log
}

export async function openNodeClient(options: NodeClientOptions): Promise<Client> {
  // Before anything is made on disk: of an installation that is not whole nothing should be left.
  assertPatched()
  const log = options.log ?? silentLog
  const clock = guardedClock(options.clock ?? systemClock, log)
  const store = new Store(openDataDirectory(options.directory, { clock, log }), wakeNextTurn, { clock, log })
  try {
    // What a kill or a full disk kept from being erased.
    store.eraseTraces()
    const directory = join(options.directory, FILES_FOLDER)
    return await openClient({
      store,
      // Behind the database, which is locked: what another process writes here must not be swept.
      vault: await openNodeFileVault({
        directory,
        bytesMax: options.fileCacheBytesMax ?? clientLimits.fileCacheBytesMax,
        clock,
      }),
      fileCipher: nodeFileCipher,
      chatTexts: new ChatTexts(store),
      connectBlobs: options.connectBlobs ?? connectNodeBlobs,
      provider: makeNodeProvider({ log }),
      clock,
      log,
      connect: options.connect ?? connectNodeSocket,
      jitter: Math.random,
      acceptRequests: options.acceptRequests,
      reportsAll: options.reportsAll ?? false,
      firstStart: options.firstStart,
      relayUrl: options.relayUrl,
      relayInvite: options.relayInvite,
    })
  } catch (error) {
    store.close()
    throw error
  }
}

export { assertPatched } from '@postern/mls'
export { nodeFileCipher } from './files/cipher/file-cipher-node.ts'
export type { BlobTransport, BlobTransportFactory } from './files/transport/blob-transport.ts'
export { connectNodeBlobs } from './files/transport/blob-transport-node.ts'
export { accountFiles, checkStored, lockStored, type StoredCopy } from './recovery/stored-copy-node.ts'
export { goodbyeRefusal } from './relay-link/reconnecting.ts'
export { type RelaySocket, type SocketEvents, type SocketFactory, socketUrl } from './relay-link/socket.ts'
export { connectNodeSocket } from './relay-link/socket-node.ts'
export { openDataDirectory } from './storage/directory/data-directory-node.ts'
