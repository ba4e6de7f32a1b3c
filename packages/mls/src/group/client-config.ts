// The rules under which ts-mls works for us: never use its defaults, their authentication accepts everybody.
import { equalBytes, mlsLimits, wireLimits } from '@postern/protocol'
import type {
  Capabilities,
  ClientConfig,
  ClientState,
  KeyPackageEqualityConfig,
  LifetimeConfig,
  PaddingConfig,
  RatchetTree,
} from 'ts-mls'
import type { MlsProvider } from '../crypto/provider.ts'
import { capabilities, hasFormerMember } from './capabilities.ts'
import { makeAuthenticationService } from './credentials.ts'

/** With the fields that our patch of ts-mls reads besides. */
export interface PatchedClientConfig extends ClientConfig {
  /** Lifetimes follow the client's clock, not the machine's. */
  lifetimeConfig: LifetimeConfig & { nowSec(): number }
  /**
   * Whether members of this tree derive the secret of a commit as clients up to 0.2 do, if its path ends below the
   * root.
   */
  hasFormerCommitSecret(tree: RatchetTree): boolean
  /** Used by us: the capabilities of the own leaf from its next path on. Without them the leaf stays unchanged. */
  capabilities?: Capabilities
}

/** A restored client skips more handshake keys than messages are ever withdrawn. */
export const withHandshakeReach = (state: ClientState): ClientState => ({
  ...state,
  clientConfig: {
    ...state.clientConfig,
    keyRetentionConfig: {
      ...state.clientConfig.keyRetentionConfig,
      maximumForwardRatchetSteps: mlsLimits.handshakeStepsMax,
    },
  },
})

/** Fast if keys differ: ts-mls compares all newcomers of a commit with each other and with all members. */
const isSameKey = (one: Uint8Array, other: Uint8Array): boolean => one[0] === other[0] && equalBytes(one, other)
const keyPackageEqualityConfig: KeyPackageEqualityConfig = {
  compareKeyPackages: (one, other) => isSameKey(one.leafNode.signaturePublicKey, other.leafNode.signaturePublicKey),
  compareKeyPackageToLeafNode: ({ leafNode }, leaf) => isSameKey(leafNode.signaturePublicKey, leaf.signaturePublicKey),
}

/** A kind of padding that our patch adds. */
const PADDING = { kind: 'padToMultipleOf', step: wireLimits.paddingStepBytes }

export function makeClientConfig(provider: MlsProvider, nowSec: () => number): PatchedClientConfig {
  const lifetimeConfig: PatchedClientConfig['lifetimeConfig'] = {
    maximumTotalLifetime: 0n, // ts-mls does not read it; key packages are checked where they are used
    validateLifetimeOnReceive: false, // a commit read weeks later must be judged as on its first day
    nowSec,
  }
  return {
    authService: makeAuthenticationService(provider),
    capabilities,
    hasFormerCommitSecret: hasFormerMember,
    keyPackageEqualityConfig,
    keyRetentionConfig: {
      // Only the key of a skipped generation is kept, by our patch of ts-mls.
      retainKeysForGenerations: mlsLimits.generationsKept,
      // One and not zero: ts-mls reads 0 as "keep all". The session drops the one.
      retainKeysForEpochs: 1,
      maximumForwardRatchetSteps: mlsLimits.forwardStepsMax,
    },
    lifetimeConfig,
    paddingConfig: PADDING as unknown as PaddingConfig,
  }
}
