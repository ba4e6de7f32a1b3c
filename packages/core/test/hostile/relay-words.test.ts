// The texts of a relay's errors: people read them, and logs keep them.
import { decodeRelayFrame, encodeRelayFrame } from '@postern/protocol/relay'
import { type Pass, WITHIN } from '@postern/testkit'
import { test } from '@postern/testkit/fixtures'
import { expect } from 'vitest'

const saying =
  (message: string, code?: string): Pass =>
  bytes => {
    const frame = decodeRelayFrame(bytes.slice())
    return [frame.kind === 'failure' ? encodeRelayFrame({ ...frame, message, ...(code && { code }) }) : bytes]
  }

test('[CORE-20.1] what a relay says in an error is one line that commands no terminal', async ({ alice }) => {
  const refusal = () =>
    alice.client.chats.createGroup({ name: 'x', members: ['a'.repeat(32) as never] }, WITHIN).then(
      () => 'made',
      (error: unknown) => (error as Error).message,
    )
  alice.wire.incoming = saying('no\u001b[2J\n{"level":"info"}\u2028\u202e')
  expect(await refusal()).toBe('no[2J {"level":"info"}')
  alice.wire.incoming = saying('\u200b\n')
  expect(await refusal()).toBe('The relay refused it (account-not-found).')
  alice.wire.incoming = saying('\n', 'of-another-version')
  expect(await refusal()).toBe('The relay violated the protocol: an error without words.')
})
