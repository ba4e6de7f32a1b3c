// The relay: the server that carries ciphertext between accounts, in order, and keeps it until it is read.
export type { Registration } from './accounts/register.ts'
export { type BlobPlace, blobPlaceIn } from './blobs/blob-place.ts'
export { makeInvite } from './commands/invite.ts'
export { isPublic, startableHosts } from './config/check-config.ts'
export { type RelayConfig, readConfig } from './config/config.ts'
export { type RelayLimits, relayLimits } from './limits/relay-limits.ts'
export { runRelay } from './main.ts'
export type { StatusAnswer } from './operator/answers.ts'
export { type Relay, type RelayOptions, startRelay } from './relay.ts'
export { inspectPostgres } from './store/postgres/tools/inspect-database.ts'
export { prepareRestoredDatabase } from './store/postgres/tools/restored-database.ts'
export {
  checkStoredRelay,
  completeBlobs,
  lockStoredRelay,
  prepareRestoredRelay,
  relayFiles,
  storedRelaySchema,
} from './store/sqlite/tools/stored-copy.ts'
