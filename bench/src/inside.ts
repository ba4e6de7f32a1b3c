// Internal parts of packages that are measured from inside, or that fill a database faster than people could.
export {
  accountIdOf,
  commitIntent,
  createGroup,
  credentialOf,
  decryptMessage,
  encryptMessage,
  type GroupSession,
  generateKeyPackage,
  joinFromWelcome,
  makeDeviceCertificate,
  makeMlsContext,
} from '@postern/mls'
export { makeNodeProvider } from '@postern/mls/node'
export { insertChat, replaceMembers } from '../../packages/core/src/chats/records/chats.ts'
export { insertGroup } from '../../packages/core/src/groups/group-records.ts'
export { noteHello, noteProfile } from '../../packages/core/src/identity/people.ts'
export { appendEvent } from '../../packages/core/src/journal/journal.ts'
export { insertMessage } from '../../packages/core/src/messages/messages.ts'
export { RelayLink } from '../../packages/core/src/relay-link/relay-link.ts'
export type { Database } from '../../packages/core/src/storage/database.ts'
export { openPostgresStore } from '../../packages/relay/src/store/postgres/postgres-store.ts'
export { openSqliteStore } from '../../packages/relay/src/store/sqlite/sqlite-store.ts'
export { InProcessWake } from '../../packages/relay/src/store/wake.ts'
