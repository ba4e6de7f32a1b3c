// The wire between clients and the relay.
export {
  type Accepted,
  type CallAnswer,
  type CallName,
  type CallRequest,
  calls,
  type Entry,
  INCARNATION_BYTES,
  type Verdict,
} from './calls.ts'
export * from './device-certificate.ts'
export * from './envelope-header.ts'
export * from './frames.ts'
