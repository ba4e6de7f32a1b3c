// The two scripts that a page may start. The page's policy allows no other text to become one.
import coreWorkerUrl from '../worker/main.ts?worker&url'
import { relayUrl } from './relay-url.ts'

const SERVICE_WORKER_URL = '/sw.js'

type ScriptPolicy = { createScriptURL(url: string): string }
type Rules = { createScriptURL(url: string): string }
const { trustedTypes } = globalThis as { trustedTypes?: { createPolicy(name: string, rules: Rules): ScriptPolicy } }

const rules: Rules = {
  createScriptURL(url) {
    if (url === coreWorkerUrl || url === SERVICE_WORKER_URL) return url
    throw new TypeError(`not a script of ours: ${url}`)
  },
}
const policy = trustedTypes ? trustedTypes.createPolicy('postern', rules) : rules

/** The worker reads its relay from its name: it is there before the first message. */
export const startCoreWorker = (): Worker =>
  new Worker(policy.createScriptURL(coreWorkerUrl), { type: 'module', name: relayUrl() })

export const serviceWorkerUrl = (): string => policy.createScriptURL(SERVICE_WORKER_URL)
