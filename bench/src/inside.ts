// What is measured from inside, and what fills a database faster than people could: parts that their packages do not show.
export { insertChat, replaceMembers } from '../../packages/core/src/chats/chats.ts'
export { insertGroup } from '../../packages/core/src/groups/group-records.ts'
export { noteHello, noteProfile } from '../../packages/core/src/identity/people.ts'
export { appendEvent } from '../../packages/core/src/journal/journal.ts'
export { insertMessage } from '../../packages/core/src/messages/messages.ts'
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
export { makeMlsContext } from '../../packages/core/src/mls/mls-context.ts'
export { makeNodeProvider } from '../../packages/core/src/mls/provider-node.ts'
export type { Database } from '../../packages/core/src/storage/database.ts'
export { openSqliteStore } from '../../packages/relay/src/store/sqlite-store.ts'
export { InProcessWake } from '../../packages/relay/src/wake.ts'
