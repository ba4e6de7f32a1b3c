// The client side in the relay's tests: a client that knows the wire protocol and no more.
export * from '@postern/testkit/bare-client'
