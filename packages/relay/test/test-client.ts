// The relay's other side in its tests: a client that knows the wire and no more.
export * from '@postern/testkit/bare-client'
