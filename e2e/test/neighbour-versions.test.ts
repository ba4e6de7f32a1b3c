// Programs of two neighbouring versions of the protocol: older ones talk to a newer relay, and others get an error that
// names the outdated one.
import { calls, PROTOCOL_VERSION, PROTOCOL_VERSION_BEFORE } from '@postern/protocol/relay'
import { Wire } from '@postern/testkit'
import { test } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { RecordedLog } from './recorded-log.ts'

const TAG_ANSWER = 130
const INCARNATION_BYTES = 16

const saying = (version: number) => (frame: Uint8Array) => [Uint8Array.of(version, ...frame.subarray(1))]

/** The wire of a client of the previous version: it corrects the differences, as that client never sees them. */
function wireBefore(heard: number[]): Wire {
  const wire = new Wire()
  wire.outgoing = saying(PROTOCOL_VERSION_BEFORE)
  wire.incoming = frame => {
    heard.push(frame[0] ?? 0)
    const isSession = frame[1] === TAG_ANSWER && frame[2] === calls.authenticate.tag
    return isSession
      ? [Uint8Array.of(PROTOCOL_VERSION, ...frame.subarray(1), ...new Uint8Array(INCARNATION_BYTES))]
      : [frame]
  }
  return wire
}

test('[RELAY-2.27] a client of the version before talks to one of today, and hears no word of the newer version', async ({
  world,
}) => {
  const heard: number[] = []
  const alice = await world.person('alice', { wire: wireBefore(heard) })
  const bob = await world.person('bob')
  await alice.say(bob, 'from yesterday')
  await bob.hears('from yesterday')
  await bob.say(alice, 'from today')
  await alice.hears('from today')
  alice.wire.drop()
  await alice.online()
  await bob.say(alice, 'and again')
  await alice.hears('and again')
  expect(new Set(heard)).toEqual(new Set([PROTOCOL_VERSION_BEFORE]))
})

test('[CORE-3.7] a relay that does not know the version is told as too old, in one line, and served again once it is updated', async ({
  world,
}) => {
  const log = new RecordedLog()
  const alice = await world.person('alice', { log })
  const bob = await world.person('bob')
  alice.wire.outgoing = saying(PROTOCOL_VERSION + 1)
  alice.wire.drop()
  const refusals = () => log.lines.filter(({ text }) => text === 'relay not connected').length
  await expect.poll(refusals).toBeGreaterThan(3)
  expect(log.warnings).toEqual([
    `The other side uses version ${PROTOCOL_VERSION_BEFORE} of the protocol, and this side uses version ${PROTOCOL_VERSION}. Update the other side.`,
  ])
  alice.wire.outgoing = frame => [frame]
  await alice.online()
  await alice.say(bob, 'updated')
  await bob.hears('updated')
})
