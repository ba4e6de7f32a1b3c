// The core in a browser's dedicated worker: files, sockets and cryptography. Imports no Node API.
import { assertPatched } from '@postern/mls'
import { makeBrowserProvider } from '@postern/mls/browser'
import { type Clock, clientLimits, guardedClock, type Log, silentLog, systemClock } from '@postern/protocol'
import type { Client } from './client/client.ts'
import { type AccountOrigin, openClient } from './client/open-client.ts'
import type { RequestPolicy } from './context.ts'
import { browserFileCipher } from './files/cipher/file-cipher-browser.ts'
import { connectBrowserBlobs } from './files/transport/blob-transport-browser.ts'
import { openBrowserFileVault } from './files/vault/file-vault-browser.ts'
import { connectBrowserSocket } from './relay-link/socket-browser.ts'
import {
  type DatabaseCopy,
  type DirectoryLock,
  forgetDirectory,
  openBrowserDirectory,
} from './storage/directory/data-directory-browser.ts'
import { noteKeyUsed } from './storage/directory/key-keeper-browser.ts'
import { Store } from './storage/transactions/store.ts'

const FILES_FOLDER = 'files'

export type OpeningStep = 'database' | 'files' | 'client'

export interface BrowserClientOptions {
  /** One per account: the name of its folder in the origin's private file system, and of its key. */
  directory: string
  acceptRequests: RequestPolicy
  /** Called only when the directory has no account yet. An error that it throws stops the opening. */
  firstStart: () => AccountOrigin
  /** A backup to start with. Refused as `database-unusable` where there is an account already. */
  restored?: DatabaseCopy | undefined
  /** For a locked account: without it `passphrase-needed` is thrown, and with another one `passphrase-wrong`. */
  passphrase?: string | undefined
  /** The address of the relay. A registered account follows it only if the relay there knows the account. */
  relayUrl?: string | undefined
  /** The code with which the relay accepts a new account. Not used once the account is registered. */
  relayInvite?: string | undefined
  clock?: Clock
  log?: Log
  /** Called after each step. */
  onStep?: (step: OpeningStep) => void
}

export interface BrowserClient {
  client: Client
  /**
   * A copy of everything that was written so far, for a backup.
   * It holds the key in clear: seal it before it leaves the worker.
   */
  copy(): Promise<DatabaseCopy>
  /** The current size of WebAssembly's memory. */
  memoryBytes(): number
  readonly lock: DirectoryLock
  /** Stops the client and removes the account from this browser. */
  forgetEverything(): Promise<void>
}

/** Call this in the one worker that holds the origin's lock: another one is refused as `database-locked`. */
export async function openBrowserClient(options: BrowserClientOptions): Promise<BrowserClient> {
  // Checked before anything is created on disk: an incomplete installation must leave nothing behind.
  assertPatched()
  const { directory, onStep = () => undefined } = options
  const log = options.log ?? silentLog
  const clock = guardedClock(options.clock ?? systemClock, log)
  const { database, copy, memoryBytes, lock } = await openBrowserDirectory(directory, options)
  const store = new Store(database, deferToNextTurn(), { clock, log })
  try {
    onStep('database')
    // Erases traces that a kill or a full disk kept from being erased.
    store.eraseTraces()
    // After the database is locked: the sweep must not remove files that another worker is writing.
    const vault = await openBrowserFileVault({
      folder: `${directory}/${FILES_FOLDER}`,
      bytesMax: clientLimits.fileCacheBytesMax,
    })
    onStep('files')
    const client = await openClient({
      store,
      vault,
      fileCipher: browserFileCipher,
      connectBlobs: connectBrowserBlobs,
      provider: await makeBrowserProvider(),
      clock,
      log,
      connect: connectBrowserSocket,
      jitter: Math.random,
      acceptRequests: options.acceptRequests,
      reportsAll: true,
      firstStart: options.firstStart,
      relayUrl: options.relayUrl,
      relayInvite: options.relayInvite,
    })
    // After the account exists: its creation may have failed.
    await noteKeyUsed(directory)
    onStep('client')
    const copyWhole = async () => {
      // Deferred writes are in an open transaction, and a copy of the file would lack them.
      await store.write(() => undefined)
      return await copy()
    }
    const forgetEverything = async () => {
      await client.stop()
      await forgetDirectory(directory)
    }
    return { client, copy: copyWhole, memoryBytes, lock, forgetEverything }
  } catch (error) {
    store.close()
    throw error
  }
}

/** Removes an account that cannot be opened any more from this browser. */
export async function forgetBrowserAccount(directory: string): Promise<void> {
  await forgetDirectory(directory)
}

/** The counterpart of Node's setImmediate: runs after the present turn, without the delay of nested timeouts. */
export function deferToNextTurn(): (run: () => void) => void {
  const { port1, port2 } = new MessageChannel()
  const waiting: (() => void)[] = []
  port1.addEventListener('message', () => waiting.shift()?.())
  port1.start()
  return run => {
    waiting.push(run)
    port2.postMessage(undefined)
  }
}

export { makeBrowserProvider } from '@postern/mls/browser'
export { browserFileCipher } from './files/cipher/file-cipher-browser.ts'
export { connectBrowserBlobs } from './files/transport/blob-transport-browser.ts'
export type { DatabaseCopy, DirectoryLock } from './storage/directory/data-directory-browser.ts'
export { type KeyLockState, keyLockState } from './storage/directory/key-keeper-browser.ts'
