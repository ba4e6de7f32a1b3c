// The rules under which ts-mls works for us: never use its defaults, their authentication accepts everybody.
import { mlsLimits } from '@postern/protocol'
import type { ClientConfig, LifetimeConfig } from 'ts-mls'
import { defaultKeyPackageEqualityConfig } from 'ts-mls/keyPackageEqualityConfig.js'
import { makeAuthenticationService } from './credentials.ts'
import { paddedBytes } from './padding.ts'
import type { MlsProvider } from './provider.ts'

/** Read by our patch of ts-mls: lifetimes follow the client's clock, not the machine's. */
interface ClockedLifetimeConfig extends LifetimeConfig {
  nowSec(): number
}

export function makeClientConfig(provider: MlsProvider, nowSec: () => number): ClientConfig {
  const lifetimeConfig: ClockedLifetimeConfig = {
    maximumTotalLifetime: 0n, // ts-mls does not read it; key packages are checked where they are used
    validateLifetimeOnReceive: false, // a commit read weeks later must be judged as on its first day
    nowSec,
  }
  return {
    authService: makeAuthenticationService(provider),
    keyPackageEqualityConfig: defaultKeyPackageEqualityConfig,
    keyRetentionConfig: {
      // What is kept of a skipped generation is its key alone, by our patch of ts-mls.
      retainKeysForGenerations: mlsLimits.generationsKept,
      // One and not none: ts-mls reads 0 as "keep all". The session drops the one.
      retainKeysForEpochs: 1,
      maximumForwardRatchetSteps: mlsLimits.forwardStepsMax,
    },
    lifetimeConfig,
    paddingConfig: { kind: 'padUntilLength', padUntilLength: paddedBytes(1) },
  }
}
