// The browser as the worker needs it: core's rim on the origin's private file system, and what the browser tells of its storage.
import {
  browserFileCipher,
  deferToNextTurn,
  forgetBrowserAccount,
  makeBrowserProvider,
  openBrowserClient,
} from '@postern/core/browser'
import { appLimits, type Log, systemClock } from '@postern/protocol'
import { Unsupported } from './home.ts'
import type { AccountBeginning, OpenedAccount, Rim } from './rim.ts'

const DIRECTORY = 'account'

/** Some frames of a screen. */
const LATER_MS = 40

/** Thrown by the question for a name where nobody was to begin. */
class NoAccount extends Error {}

export function browserRim(): Rim {
  const log = consoleLog()
  return {
    clock: systemClock,
    log,
    relayUrl: location.origin,
    open: beginning => open(log, beginning),
    forget: () => forgetBrowserAccount(DIRECTORY),
    assertSupported,
    fetchProfile: account => fetchBytes(`/profiles/${account}`, appLimits.previewTimeoutMs),
    fetchBlob: blob => fetchBytes(`/blobs/${blob}`, appLimits.moveTimeoutMs),
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

async function fetchBytes(path: string, timeoutMs: number): Promise<Uint8Array | undefined> {
  const answer = await fetch(path, { signal: AbortSignal.timeout(timeoutMs) })
  return answer.ok ? new Uint8Array(await answer.arrayBuffer()) : undefined
}

function assertSupported(): void {
  if (!globalThis.isSecureContext) throw new Unsupported('The page is not in a secure context: it needs HTTPS.')
  if (!crypto.subtle) throw new Unsupported('The browser has no WebCrypto.')
  if (!navigator.storage?.getDirectory) throw new Unsupported('The browser has no private file system.')
}

/** What went wrong is for whoever opens the browser's console; it never holds a name or a word. */
const consoleLog = (): Log => ({
  debug: () => undefined,
  info: () => undefined,
  // oxlint-disable-next-line no-console -- reported as an error, it would end the worker
  warn: (fields, words) => console.warn(words, fields),
  // oxlint-disable-next-line no-console -- the same
  error: (fields, words) => console.error(words, fields),
})
