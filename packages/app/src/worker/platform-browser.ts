// The browser's part of the worker: core's platform on the origin's private file system, and the browser's facts about
// its storage.
import {
  browserFileCipher,
  connectBrowserBlobs,
  deferToNextTurn,
  forgetBrowserAccount,
  keyLockState,
  makeBrowserProvider,
  openBrowserClient,
} from '@postern/core/browser'
import { type AccountId, appLimits, CodedError, type Log, systemClock } from '@postern/protocol'
import { ACCOUNT_DIRECTORY } from '../contract/account-directory.ts'
import { StorageRefusedError, UnsupportedError } from './account/startup-faults.ts'
import type { AccountBeginning, OpenedAccount, WorkerPlatform } from './platform.ts'

/** Some frames of a screen. */
const LATER_MS = 40

/** Thrown by the request for a name when no account was to be created. */
class NoAccount extends Error {}

/** `relayUrl`: the page and its files may come from another server. */
export function browserPlatform(relayUrl: string): WorkerPlatform {
  const log = consoleLog()
  return {
    clock: systemClock,
    log,
    relayUrl,
    open: (beginning, passphrase) => open({ relayUrl, log, passphrase }, beginning),
    wrongPassphrases: async () => (await keyLockState(ACCOUNT_DIRECTORY)).misses,
    forget: () => forgetBrowserAccount(ACCOUNT_DIRECTORY),
    assertSupported,
    fetchProfile: account => fetchProfile(relayUrl, account),
    connectBlobs: () => connectBrowserBlobs(relayUrl),
    fileCipher: browserFileCipher,
    sealer: makeBrowserProvider,
    storage: {
      persisted: () => navigator.storage.persisted(),
      estimate: async () => {
        const { usage = 0, quota = 0 } = await navigator.storage.estimate()
        return { usedBytes: usage, quotaBytes: quota }
      },
    },
    pushShelf: async () => (await import('../notifications/push-database.ts')).browserPushShelf,
    defer: deferToNextTurn(),
    later: run => void setTimeout(run, LATER_MS),
  }
}

type OpenContext = { relayUrl: string; log: Log; passphrase: string | undefined }

async function open(
  { relayUrl, log, passphrase }: OpenContext,
  beginning?: AccountBeginning,
): Promise<OpenedAccount | undefined> {
  try {
    return await openBrowserClient({
      directory: ACCOUNT_DIRECTORY,
      acceptRequests: 'contacts',
      relayUrl,
      log,
      passphrase,
      firstStart: () => {
        if (beginning && 'firstStart' in beginning) return beginning.firstStart
        throw new NoAccount()
      },
      ...(beginning && 'restored' in beginning && { restored: beginning.restored }),
      ...(beginning && 'relayCode' in beginning && { relayInvite: beginning.relayCode }),
    })
  } catch (error) {
    if (error instanceof NoAccount) return undefined
    throw refusal(error)
  }
}

/** Without cookies: the reader stays anonymous. */
async function fetchProfile(relayUrl: string, account: AccountId): Promise<Uint8Array | undefined> {
  const signal = AbortSignal.timeout(appLimits.previewTimeoutMs)
  try {
    const answer = await fetch(new URL(`/profiles/${account}`, relayUrl), { signal, credentials: 'omit' })
    if (answer.status === 404) return undefined
    if (answer.ok) return new Uint8Array(await answer.arrayBuffer())
    throw new Error(String(answer.status))
  } catch (cause) {
    throw new CodedError('relay-unreachable', {}, { cause })
  }
}

async function assertSupported(): Promise<void> {
  if (!globalThis.isSecureContext) throw new UnsupportedError('The page is not in a secure context: it needs HTTPS.')
  if (!crypto.subtle) throw new UnsupportedError('The browser has no WebCrypto.')
  if (!hasAssembly()) throw new UnsupportedError('The browser has no WebAssembly.')
  if (!navigator.storage?.getDirectory || !('createSyncAccessHandle' in FileSystemFileHandle.prototype))
    throw new UnsupportedError('The browser has no private file system.')
  try {
    await navigator.storage.getDirectory()
  } catch (cause) {
    throw new StorageRefusedError(`The browser gives no private storage: ${String(cause)}`, { cause })
  }
}

/** A module without content: some browsers have WebAssembly and refuse to compile. */
function hasAssembly(): boolean {
  try {
    return new WebAssembly.Module(new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0])) instanceof WebAssembly.Module
  } catch {
    return false
  }
}

/** A browser can have what the app needs and reject each use of it. That is no failure that passes. */
function refusal(error: unknown): unknown {
  const cause = error instanceof CodedError ? error.cause : undefined
  if (!(cause instanceof DOMException)) return error
  if (cause.name === 'SecurityError' || cause.name === 'NotAllowedError')
    return new StorageRefusedError(`The browser refuses to store data: ${String(cause)}`, { cause })
  if (cause.name === 'NotSupportedError' || cause.name === 'DataCloneError')
    return new UnsupportedError(`The browser cannot store keys or data: ${String(cause)}`, { cause })
  return error
}

/** Errors for the browser's console; they never contain a name or a message. */
const consoleLog = (): Log => ({
  debug: () => undefined,
  info: () => undefined,
  // oxlint-disable-next-line no-console -- reported as an error, it would end the worker
  warn: (fields, words) => console.warn(words, fields),
  // oxlint-disable-next-line no-console -- the same
  error: (fields, words) => console.error(words, fields),
})
