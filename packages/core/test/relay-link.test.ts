// The connection to the relay, with a clock that the test moves and a socket that the test controls.
import { clientLimits, silentLog } from '@postern/protocol'
import { encodeRelayFrame, PROTOCOL_VERSION, REPLACED_CLOSE_CODE } from '@postern/protocol/relay'
import { ManualClock } from '@postern/testkit/clock'
import { expect, test } from 'vitest'
import type { RelayLinkOptions } from '../src/relay-link/link-options.ts'
import { RelayLink } from '../src/relay-link/relay-link.ts'
import type { SocketEvents } from '../src/relay-link/socket.ts'

const account = 'a'.repeat(32) as never

type Answering = (events: SocketEvents, frame: Uint8Array) => void

type Given = { jitter?: number; onSession?: () => Promise<void>; onPage?: RelayLinkOptions['onPage'] }

function linkTo(answer: Answering, { jitter = 0, onSession = async () => {}, onPage = () => 'known' }: Given = {}) {
  const clock = new ManualClock()
  const dials: { atMs: number; events: SocketEvents }[] = []
  const link = new RelayLink({
    relayUrl: 'http://relay.example',
    clock,
    log: silentLog,
    jitter: () => jitter,
    connect: (_, events) => {
      dials.push({ atMs: clock.nowMs(), events })
      return { send: frame => answer(events, frame), close: () => {} }
    },
    prove: async (_, audience) => ({
      accountKey: new Uint8Array(32),
      deviceKey: new Uint8Array(32),
      certificate: new Uint8Array(72),
      audience,
      signature: new Uint8Array(64),
      intent: 'login',
      invite: undefined,
    }),
    onSession,
    onPage,
    onEphemeral: () => {},
    onTime: () => {},
    onRevoked: () => 'over',
    afterTurn: run => run(),
  })
  return { clock, dials, link }
}

const letIn: Answering = (events, frame) => {
  if (frame[1] !== 1) return
  const answer = { account, cursor: 0, mark: 0, keyPackages: 0, nowMs: 0, incarnation: new Uint8Array(16) }
  events.message(encodeRelayFrame({ kind: 'answer', name: 'authenticate', id: 1, answer }))
}
/** Another time than here. */
const RELAY_MS = Date.UTC(2035, 0, 1)
const refuseUntil =
  (retryAtMs: number): Answering =>
  (events, frame) => {
    if (frame[1] !== 1) return
    const failure = { code: 'unavailable', message: 'full', retryAtMs, serial: undefined }
    events.message(encodeRelayFrame({ kind: 'failure', id: 1, ...failure }))
  }
const challenge = encodeRelayFrame({ kind: 'challenge', nonce: new Uint8Array(32), nowMs: 0 })

/** Lets promises settle. */
const settle = () => new Promise(resolve => setImmediate(resolve))

/** The pause that is drawn by a share, between the shortest one and the full length. */
const shareOf = (fullMs: number, share: number): number => {
  const shortestMs = clientLimits.reconnectFirstMs / 2
  return shortestMs + (fullMs - shortestMs) * share
}

test.each([0, 0.2, 0.5, 1])(
  '[CORE-3.1] pauses double from a tenth of a second to half a minute, and each is drawn from all of that (jitter %d)',
  jitter => {
    const { clock, dials, link } = linkTo(() => {}, { jitter })
    link.start()
    const waits = Array.from({ length: 12 }, () => {
      const count = dials.length
      const lostMs = clock.nowMs()
      dials.at(-1)?.events.closed('gone')
      while (dials.length === count) clock.advance(5)
      return clock.nowMs() - lostMs
    })
    const expected = waits.map((_, at) =>
      shareOf(Math.min(clientLimits.reconnectMaxMs, clientLimits.reconnectFirstMs * 2 ** at), jitter),
    )
    expect(waits).toEqual(expected)
    link.stop()
    expect(clock.timerCount).toBe(0)
  },
)

test.each([0, 0.5, 1])(
  '[CORE-3.11] a relay that answers neither the dial nor the login is given up after ten to twenty seconds (jitter %d)',
  async jitter => {
    const { clock, dials, link } = linkTo(() => {}, { jitter })
    const patienceMs = 10_000 + 10_000 * jitter
    link.start()
    for (const isChallenged of [false, true]) {
      const count = dials.length
      const dialledMs = clock.nowMs()
      if (isChallenged) dials.at(-1)?.events.message(challenge)
      await settle()
      clock.advance(patienceMs - 1)
      await settle()
      expect(link.lostReason).toBe(isChallenged ? 'no answer' : undefined)
      expect(dials).toHaveLength(count)
      while (dials.length === count) clock.advance(1)
      expect(link.lostReason).toBe('no answer')
      expect(clock.nowMs() - dialledMs - patienceMs).toBe(shareOf(clientLimits.reconnectFirstMs * count, jitter))
    }
    link.stop()
    expect(clock.timerCount).toBe(0)
  },
)

test.each([
  [0, 7000],
  [1, 7700],
])('[CORE-3.10] a full relay says when to come back, by its own clock (jitter %d)', async (jitter, expectedMs) => {
  const { clock, dials, link } = linkTo(refuseUntil(RELAY_MS + 7000), { jitter })
  link.start()
  for (let round = 1; round <= 3; round++) {
    dials.at(-1)?.events.message(encodeRelayFrame({ kind: 'challenge', nonce: new Uint8Array(32), nowMs: RELAY_MS }))
    await settle()
    clock.advance(expectedMs - 1)
    expect(dials).toHaveLength(round)
    clock.advance(1)
    expect(dials).toHaveLength(round + 1)
  }
  expect(link.refusal).toBeUndefined()
  link.stop()
})

test.each([
  ['a time that is over', -5000, clientLimits.reconnectFirstMs],
  ['a day', 86_400_000, clientLimits.reconnectMaxMs],
])(
  '[CORE-3.10] a relay that says %s is dialled neither at once nor later than the longest pause',
  async (_, inMs, waits) => {
    const { clock, dials, link } = linkTo(refuseUntil(RELAY_MS + inMs))
    link.start()
    dials[0]?.events.message(encodeRelayFrame({ kind: 'challenge', nonce: new Uint8Array(32), nowMs: RELAY_MS }))
    await settle()
    clock.advance(waits - 1)
    expect(dials).toHaveLength(1)
    clock.advance(1)
    expect(dials).toHaveLength(2)
    link.stop()
  },
)

test('[CORE-3.2] a relay that goes silent is noticed', async () => {
  const { clock, dials, link } = linkTo(letIn)
  link.start()
  dials[0]?.events.message(challenge)
  await settle()
  expect(link.isOnline).toBe(true)
  clock.advance(clientLimits.pingEveryMs)
  expect(link.isOnline).toBe(true)
  clock.advance(clientLimits.pingEveryMs)
  expect(link.isOnline).toBe(false)
  link.stop()
  await expect(link.whenOnline(1000)).rejects.toMatchObject({ code: 'stopping' })
})

test.each([
  [0, clientLimits.reconnectMaxMs / 2],
  [1, clientLimits.reconnectMaxMs],
])(
  '[CORE-3.3] two programs with the same keys do not take the connection from each other without a long pause (jitter %d)',
  (jitter, pauseMs) => {
    const { clock, dials, link } = linkTo(() => {}, { jitter })
    link.start()
    dials[0]?.events.closed('closed', REPLACED_CLOSE_CODE)
    clock.advance(pauseMs - 1)
    expect(dials).toHaveLength(1)
    clock.advance(1)
    expect(dials).toHaveLength(2)
    link.stop()
  },
)

test('[CORE-3.7] a relay that is newer than this program says so by its first word, and is dialled again', () => {
  const { clock, dials, link } = linkTo(() => {}, { jitter: 1 })
  link.start()
  dials[0]?.events.message(Uint8Array.of(PROTOCOL_VERSION + 1, ...challenge.subarray(1)))
  expect(link.refusal).toMatchObject({
    code: 'version-unsupported',
    message: expect.stringContaining('Update this program'),
  })
  clock.advance(clientLimits.reconnectFirstMs)
  expect(dials).toHaveLength(2)
  link.stop()
})

test('[CORE-4.4] what a lost connection began does not go on over the next one', async () => {
  const sessions: PromiseWithResolvers<void>[] = []
  const onSession = () => {
    const session = Promise.withResolvers<void>()
    sessions.push(session)
    return session.promise
  }
  const { clock, dials, link } = linkTo(letIn, { onSession })
  link.start()
  dials[0]?.events.message(challenge)
  await settle()
  dials[0]?.events.closed('gone')
  clock.advance(clientLimits.reconnectFirstMs)
  dials[1]?.events.message(challenge)
  await settle()
  expect(sessions).toHaveLength(1)
  await expect(link.call('follow', { after: 0 })).rejects.toMatchObject({ code: 'relay-unreachable' })
  sessions[0]?.resolve()
  await settle()
  expect(sessions).toHaveLength(2)
  expect(link.isOnline).toBe(false)
  sessions[1]?.resolve()
  await settle()
  expect(link.isOnline).toBe(true)
  link.stop()
})

test('[CORE-3.9] a relay that breaks the protocol on every connection is dialled after pauses that double, until an entry is read', async () => {
  let taken: 'news' | 'gap' = 'gap'
  const { clock, dials, link } = linkTo(letIn, { jitter: 1, onPage: () => taken })
  const page = encodeRelayFrame({ kind: 'deliver', after: 7, entries: [] })
  const broken = [page, Uint8Array.of(1, 2, 3)]
  const pauseAfter = async (frame: Uint8Array): Promise<number> => {
    const count = dials.length
    dials.at(-1)?.events.message(challenge)
    await settle()
    expect(link.isOnline).toBe(true)
    dials.at(-1)?.events.message(frame)
    expect(link.isOnline).toBe(false)
    const lostMs = clock.nowMs()
    while (dials.length === count) clock.advance(5)
    return clock.nowMs() - lostMs
  }
  link.start()
  const pauses: number[] = []
  for (let at = 0; at < 10; at++) pauses.push(await pauseAfter(broken[at % 2] as Uint8Array))
  expect(pauses).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000])
  taken = 'news'
  dials.at(-1)?.events.message(challenge)
  await settle()
  dials.at(-1)?.events.message(page)
  expect(await pauseAfter(Uint8Array.of(1, 2, 3))).toBe(100)
  link.stop()
})
