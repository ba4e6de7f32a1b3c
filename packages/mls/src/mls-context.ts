// What every MLS operation needs from outside: cryptography, our rules, and the time.
import type { ClientConfig } from 'ts-mls'
import { assertPatched } from './assert-patched.ts'
import { makeClientConfig } from './client-config.ts'
import type { MlsProvider } from './provider.ts'

export interface MlsContext {
  readonly provider: MlsProvider
  readonly config: ClientConfig
  nowSec(): number
}

export function makeMlsContext(provider: MlsProvider, nowSec: () => number): MlsContext {
  assertPatched()
  return { provider, nowSec, config: makeClientConfig(provider, nowSec) }
}
