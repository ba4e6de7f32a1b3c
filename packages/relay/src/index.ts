// The relay: the server that carries ciphertext between accounts, in order, and keeps it until it is read.
export type { Registration } from './accounts/register.ts'
export { type BlobPlace, blobPlaceIn } from './blobs/blob-place.ts'
export { isPublic, startableHosts } from './check-config.ts'
export { type RelayConfig, readConfig } from './config.ts'
export { makeInvite } from './invites/run-invite.ts'
export { type RelayLimits, relayLimits } from './limits/relay-limits.ts'
export { runRelay } from './main.ts'
export type { StatusAnswer } from './operator/answers.ts'
export { type Relay, type RelayOptions, startRelay } from './relay.ts'
export { prepareRestoredDatabase } from './store/postgres/restored-database.ts'
export { lookAtPostgres } from './store/postgres/seen-database.ts'
export {
  checkStoredRelay,
  completeBlobs,
  lockStoredRelay,
  prepareRestoredRelay,
  relayFiles,
} from './store/sqlite/stored-copy.ts'
