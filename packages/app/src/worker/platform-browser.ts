// The browser's part of the worker: core's platform on the origin's private file system, and the browser's facts about
// its storage.
import {
  browserFileCipher,
  connectBrowserBlobs,
  deferToNextTurn,
  forgetBrowserAccount,
  makeBrowserProvider,
  openBrowserClient,
} from '@postern/core/browser'
import { type AccountId, appLimits, CodedError, type Log, systemClock } from '@postern/protocol'
import { StorageRefusedError, UnsupportedError } from './account/account-lifecycle.ts'
import type { AccountBeginning, OpenedAccount, WorkerPlatform } from './platform.ts'

const DIRECTORY = 'account'

/** Some frames of a screen. */
const LATER_MS = 40

/** Thrown by the request for a name when no account was to be created. */
class NoAccount extends Error {}

export function browserPlatform(): WorkerPlatform {
  const log = consoleLog()
  return {
    clock: systemClock,
    log,
    relayUrl: location.origin,
    open: beginning => open(log, beginning),
    forget: () => forgetBrowserAccount(DIRECTORY),
    assertSupported,
    fetchProfile,
    connectBlobs: () => connectBrowserBlobs(location.origin),
    fileCipher: browserFileCipher,
    sealer: makeBrowserProvider,
    storage: {
      persisted: () => navigator.storage.persisted(),
      estimate: async () => {
        const { usage = 0, quota = 0 } = await navigator.storage.estimate()
        return { usedBytes: usage, quotaBytes: quota }
      },
    },
    defer: deferToNextTurn(),
    later: run => void setTimeout(run, LATER_MS),
  }
}

async function open(log: Log, beginning?: AccountBeginning): Promise<OpenedAccount | undefined> {
  try {
    return await openBrowserClient({
      directory: DIRECTORY,
      acceptRequests: 'contacts',
      relayUrl: location.origin,
      log,
      firstStart: () => {
        if (beginning && 'firstStart' in beginning) return beginning.firstStart
        throw new NoAccount()
      },
      ...(beginning && 'restored' in beginning && { restored: beginning.restored }),
      ...(beginning && 'relayCode' in beginning && { relayInvite: beginning.relayCode }),
    })
  } catch (error) {
    if (error instanceof NoAccount) return undefined
    throw error
  }
}

/** Without cookies: the reader stays anonymous. */
async function fetchProfile(account: AccountId): Promise<Uint8Array | undefined> {
  const signal = AbortSignal.timeout(appLimits.previewTimeoutMs)
  try {
    const answer = await fetch(`/profiles/${account}`, { signal, credentials: 'omit' })
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
  if (!navigator.storage?.getDirectory) throw new UnsupportedError('The browser has no private file system.')
  try {
    await navigator.storage.getDirectory()
  } catch (cause) {
    throw new StorageRefusedError(`The browser gives no private storage: ${String(cause)}`, { cause })
  }
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
