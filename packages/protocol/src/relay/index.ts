// The wire between clients and the relay.
export {
  type AcceptedEntry,
  type CallAnswer,
  type CallName,
  type CallRequest,
  calls,
  type EphemeralFrame,
  INCARNATION_BYTES,
  type MailboxEntry,
  type RelayVerdict,
} from './calls.ts'
export * from './device-certificate.ts'
export * from './envelope-header.ts'
export * from './frames.ts'
export * from './registration-header.ts'
