// What is measured from inside: parts that their packages do not show to anybody else.
export { commitIntent } from '../../packages/core/src/mls/commit-intent.ts'
export { accountIdOf, credentialOf, makeDeviceCertificate } from '../../packages/core/src/mls/credentials.ts'
export {
  createGroup,
  decryptMessage,
  encryptMessage,
  type GroupSession,
} from '../../packages/core/src/mls/group-session.ts'
export { joinFromWelcome } from '../../packages/core/src/mls/join-group.ts'
export { generateKeyPackage } from '../../packages/core/src/mls/key-package.ts'
export { type MlsContext, makeMlsContext } from '../../packages/core/src/mls/mls-context.ts'
export { makeNodeProvider } from '../../packages/core/src/mls/provider-node.ts'
export { openSqliteStore } from '../../packages/relay/src/store/sqlite-store.ts'
export { InProcessWake } from '../../packages/relay/src/wake.ts'
