// MLS (RFC 9420) as the client core uses it: values in, values out; nothing here stores, sends or decides.
export { assertPatched } from './assert-patched.ts'
export { KEY_BYTES, type MlsProvider, NONCE_BYTES, TAG_BYTES } from './crypto/provider.ts'
export { burnHandshakeGeneration, commitIntent, skipHandshakeGenerations } from './group/commit-intent.ts'
export {
  accountIdOf,
  credentialOf,
  leafOf,
  type Member,
  makeDeviceCertificate,
  type Roster,
} from './group/credentials.ts'
export { openDirect, sealDirect } from './group/direct.ts'
export { openEphemeral, sealEphemeral } from './group/ephemeral.ts'
export { isFarewell, signFarewell } from './group/farewell.ts'
export {
  createGroup,
  type DecryptedMessage,
  decryptMessage,
  encryptMessage,
  epoch,
  epochAuthenticator,
  exportSecret,
  type GroupSession,
  groupId,
  isGuessable,
  memberAccounts,
  openSession,
  openWholeSession,
  ownSends,
  rosterOf,
  settingsOf,
} from './group/group-session.ts'
export { encodeEpoch, encodeWhole, isFirstFormat } from './group/group-state.ts'
export { joinFromWelcome } from './group/join-group.ts'
export {
  deviceOf,
  type GeneratedKeyPackage,
  generateKeyPackage,
  isUsable,
  type StoredKeyPackage,
} from './group/key-package.ts'
export { type MlsContext, makeMlsContext } from './group/mls-context.ts'
export { readPrivateMessage } from './group/private-message.ts'
export { changedSecrets, ratchetsOf, type SecretChange, type SecretRow, secretRows } from './group/secret-rows.ts'
export { isMlsError, MlsError } from './mls-error.ts'
