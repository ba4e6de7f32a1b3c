// The core on Node: files, sockets and cryptography. The only entry of the core that imports the parts for Node.
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
  /** Holds `db.key`, the database and the files. Created if missing. */
  directory: string
  acceptRequests: RequestPolicy
  /** Called only when the directory has no account yet. */
  firstStart: () => AccountOrigin
  /** The address of the relay. A registered account follows it only if the relay there knows the account. */
  relayUrl?: string | undefined
  /** The code with which the relay accepts a new account. Not used once the account is registered. */
  relayInvite?: string | undefined
  /** Also journals receipts and calls, which are for people. */
  reportsAll?: boolean
  clock?: Clock
  connect?: SocketFactory
  connectBlobs?: BlobTransportFactory
  /** The limit of the ciphertext of files that is kept. */
  fileCacheBytesMax?: number
  log?: Log
}

export async function openNodeClient(options: NodeClientOptions): Promise<Client> {
  // Checked before anything is created on disk: an incomplete installation must leave nothing behind.
  assertPatched()
  const log = options.log ?? silentLog
  const clock = guardedClock(options.clock ?? systemClock, log)
  const store = new Store(openDataDirectory(options.directory, { clock, log }), wakeNextTurn, { clock, log })
  try {
    // Erases traces that a kill or a full disk kept from being erased.
    store.eraseTraces()
    const directory = join(options.directory, FILES_FOLDER)
    return await openClient({
      store,
      // After the database is locked: the sweep must not remove files that another process is writing.
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
export {
  type EventChoice,
  type EventTypes,
  type NamedReader,
  NamedReaders,
  ownedName,
} from './journal/named-readers.ts'
export { accountFiles, checkStored, lockStored, type StoredCopy, storedSchema } from './recovery/stored-copy-node.ts'
export { goodbyeRefusal } from './relay-link/reconnecting.ts'
export { type RelaySocket, type SocketEvents, type SocketFactory, socketUrl } from './relay-link/socket.ts'
export { connectNodeSocket } from './relay-link/socket-node.ts'
export { openDataDirectory } from './storage/directory/data-directory-node.ts'
