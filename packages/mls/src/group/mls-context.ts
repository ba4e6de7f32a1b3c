// The context of every MLS operation: cryptography, our rules, and the time.
import { assertPatched } from '../assert-patched.ts'
import type { MlsProvider } from '../crypto/provider.ts'
import { makeClientConfig, type PatchedClientConfig } from './client-config.ts'

export interface MlsContext {
  readonly provider: MlsProvider
  readonly config: PatchedClientConfig
  nowSec(): number
}

export function makeMlsContext(provider: MlsProvider, nowSec: () => number): MlsContext {
  assertPatched()
  return { provider, nowSec, config: makeClientConfig(provider, nowSec) }
}
