// The wire between clients and the relay.
export * from './device-certificate.ts'
export * from './envelope-header.ts'
export * from './frames.ts'
