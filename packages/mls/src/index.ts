// MLS (RFC 9420) as the client core uses it: values in, values out; nothing here stores, sends or judges.
export { assertPatched } from './assert-patched.ts'
export { burnHandshakeGeneration, commitIntent } from './commit-intent.ts'
export { accountIdOf, credentialOf, leafOf, type Member, makeDeviceCertificate, type Roster } from './credentials.ts'
export { openDirect, sealDirect } from './direct.ts'
export { isFarewell, signFarewell } from './farewell.ts'
export {
  createGroup,
  type Decrypted,
  decryptMessage,
  encryptMessage,
  epoch,
  epochAuthenticator,
  type GroupSession,
  groupId,
  memberAccounts,
  openSession,
  openWholeSession,
  ownSends,
  rosterOf,
  settingsOf,
} from './group-session.ts'
export { encodeEpoch, encodeWhole, isFirstFormat } from './group-state.ts'
export { joinFromWelcome } from './join-group.ts'
export { type GeneratedKeyPackage, generateKeyPackage, isUsable, type StoredKeyPackage } from './key-package.ts'
export { type MlsContext, makeMlsContext } from './mls-context.ts'
export { isMlsError, MlsError } from './mls-error.ts'
export { readPrivateMessage } from './private-message.ts'
export { KEY_BYTES, type MlsProvider, NONCE_BYTES, TAG_BYTES } from './provider.ts'
export { changedSecrets, ratchetsOf, type SecretChange, type SecretRow, secretRows } from './secret-rows.ts'
