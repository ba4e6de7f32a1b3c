// Core in a browser's dedicated worker: its files, its sockets, its cryptography. No Node API comes in here.
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
import { type DatabaseCopy, forgetDirectory, openBrowserDirectory } from './storage/directory/data-directory-browser.ts'
import { noteKeyUsed } from './storage/directory/key-keeper-browser.ts'
import { Store } from './storage/transactions/store.ts'

const FILES_FOLDER = 'files'

export type OpeningStep = 'database' | 'files' | 'client'

export interface BrowserClientOptions {
  /** One for each account: the name of a folder in the origin's private file system, and of its key. */
  directory: string
  acceptRequests: RequestPolicy
  /** Asked only when the directory has no account yet; what it throws stops the opening. */
  firstStart: () => AccountOrigin
  /** A backup to begin with; refused as `database-unusable` where there is an account already. */
  restored?: DatabaseCopy | undefined
  /** Where the relay is said to be. Of an account that is registered it is followed when the relay there knows it. */
  relayUrl?: string | undefined
  /** The code by which the relay takes a new account; of use until it is registered. */
  relayInvite?: string | undefined
  clock?: Clock
  log?: Log
  /** Told of each step when it is done. */
  onStep?: (step: OpeningStep) => void
}

export interface BrowserClient {
  client: Client
  /** All that was written by now: for a backup. Holds the key in clear: it leaves the worker sealed or not at all. */
  copy(): Promise<DatabaseCopy>
  /** How large WebAssembly's memory has become. */
  memoryBytes(): number
  /** Stops the client, and leaves nothing of the account in this browser. */
  forgetEverything(): Promise<void>
}

/** To be called by the one worker that holds the origin's lock: another is refused as `database-locked`. */
export async function openBrowserClient(options: BrowserClientOptions): Promise<BrowserClient> {
  // Before anything is made on disk: of an installation that is not whole nothing should be left.
  assertPatched()
  const { directory, onStep = () => undefined } = options
  const log = options.log ?? silentLog
  const clock = guardedClock(options.clock ?? systemClock, log)
  const { database, copy, memoryBytes } = await openBrowserDirectory(directory, options.restored)
  const store = new Store(database, deferToNextTurn(), { clock, log })
  try {
    onStep('database')
    // What a kill or a full disk kept from being erased.
    store.eraseTraces()
    // Behind the database, which is locked: what another worker writes here must not be swept.
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
    // Behind the account, which may not have begun.
    await noteKeyUsed(directory)
    onStep('client')
    const copyWhole = async () => {
      // What is deferred lies in a transaction that is open, and a copy of the file would lack it.
      await store.write(() => undefined)
      return await copy()
    }
    const forgetEverything = async () => {
      await client.stop()
      await forgetDirectory(directory)
    }
    return { client, copy: copyWhole, memoryBytes, forgetEverything }
  } catch (error) {
    store.close()
    throw error
  }
}

/** For an account that cannot be opened any more: nothing of it is left in this browser. */
export async function forgetBrowserAccount(directory: string): Promise<void> {
  await forgetDirectory(directory)
}

/** What Node calls setImmediate: after the present turn, and without the pause that a nested timeout has. */
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
export type { DatabaseCopy } from './storage/directory/data-directory-browser.ts'
