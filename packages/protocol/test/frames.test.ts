// Frames: every one comes back as it was sent, every bound holds, and nothing that is not a frame gets through.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CodedError, isCoded, toBase32, wireLimits } from '../src/index.ts'
import {
  type ClientFrame,
  calls,
  decodeClientFrame,
  decodeRelayFrame,
  encodeClientFrame,
  encodeRelayFrame,
  PROTOCOL_VERSION,
  PROTOCOL_VERSION_BEFORE,
  type RelayFrame,
  versionOf,
} from '../src/relay/index.ts'

const account = toBase32(new Uint8Array(20).fill(1)) as never
const group = toBase32(new Uint8Array(16).fill(2)) as never
const message = toBase32(new Uint8Array(20).fill(3)) as never
const payload = Uint8Array.of(1, 2, 3)

const delivered = { cursor: 1, group, seq: 2, sender: account, ts: 3, payload }

const appended = { payload, to: undefined, leave: false }
const pushKey = new Uint8Array(65).fill(4)
const subscription = { endpoint: 'https://push.example/1', p256dh: pushKey, auth: new Uint8Array(16).fill(5) }

const clientFrames: ClientFrame[] = [
  { kind: 'acknowledge', cursor: 7, mark: Number.MAX_SAFE_INTEGER },
  { kind: 'call', name: 'ping', id: 1, request: {} },
  { kind: 'call', name: 'takeKeyPackages', id: 2, request: { accounts: [account, account] } },
  { kind: 'call', name: 'append', id: 0xffff_ffff, request: { payload, to: account, leave: false } },
  { kind: 'call', name: 'append', id: 3, request: { payload, to: undefined, leave: true } },
  { kind: 'call', name: 'commit', id: 4, request: { payload, add: [account], remove: [], welcome: payload } },
  { kind: 'call', name: 'outcome', id: 5, request: { group, message } },
  { kind: 'call', name: 'createGroup', id: 6, request: { group, continues: undefined } },
  { kind: 'call', name: 'createGroup', id: 7, request: { group, continues: group } },
  { kind: 'call', name: 'follow', id: 8, request: { after: 9 } },
  { kind: 'call', name: 'followChained', id: 9, request: { after: 9 } },
  { kind: 'call', name: 'appendMarked', id: 10, request: { ...appended, attention: 'none', preview: undefined } },
  { kind: 'call', name: 'appendMarked', id: 11, request: { ...appended, attention: 'message', preview: payload } },
  { kind: 'call', name: 'appendMarked', id: 12, request: { ...appended, attention: 'mention', preview: payload } },
  { kind: 'call', name: 'pushKey', id: 13, request: {} },
  { kind: 'call', name: 'setPush', id: 14, request: { ...subscription, muted: [group, group] } },
  { kind: 'call', name: 'clearPush', id: 15, request: {} },
  { kind: 'call', name: 'sendEphemeral', id: 16, request: { payload } },
  { kind: 'call', name: 'followEphemeral', id: 17, request: {} },
  { kind: 'call', name: 'newPeopleLeft', id: 18, request: {} },
]

const relayFrames: RelayFrame[] = [
  { kind: 'challenge', nonce: new Uint8Array(32).fill(9), nowMs: 1_700_000_000_000 },
  { kind: 'deliver', entries: [{ ...delivered, kind: 'message', added: [], removed: [] }] },
  { kind: 'deliver', entries: [{ ...delivered, kind: 'commit', added: [account], removed: [account, account] }] },
  { kind: 'deliver', after: 0, entries: [{ ...delivered, kind: 'message', added: [], removed: [] }] },
  { kind: 'deliver', after: Number.MAX_SAFE_INTEGER, entries: [] },
  { kind: 'ephemeral', sender: account, payload },
  {
    kind: 'answer',
    name: 'append',
    id: 6,
    answer: { accepted: { message, seq: 1, ts: 2, duplicate: true }, epoch: 3 },
  },
  { kind: 'answer', name: 'append', id: 6, answer: { accepted: undefined, epoch: 4 } },
  { kind: 'answer', name: 'pushKey', id: 7, answer: { key: pushKey } },
  { kind: 'answer', name: 'pushKey', id: 7, answer: { key: undefined } },
  { kind: 'answer', name: 'newPeopleLeft', id: 7, answer: { left: 50 } },
  { kind: 'failure', id: 7, code: 'rate-limited', message: 'замедлите', retryAtMs: 5, serial: undefined },
  { kind: 'failure', id: 8, code: 'bad-certificate', message: 'revoked', retryAtMs: undefined, serial: 6 },
]

const isRefusal = (error: unknown) => isCoded(error, 'frame-malformed', 'version-unsupported', 'too-large')

describe('a frame comes back as it was sent', () => {
  test.each(clientFrames)('[PROTOCOL-4.1] from a client: $kind $name', frame => {
    expect(decodeClientFrame(encodeClientFrame(frame))).toEqual(frame)
  })
  test.each(relayFrames)('[PROTOCOL-4.1] from the relay: $kind $name', frame => {
    expect(decodeRelayFrame(encodeRelayFrame(frame))).toEqual(frame)
  })
  test.each(clientFrames)('[PROTOCOL-4.4] from a client of the version before: $kind $name', frame => {
    const written = encodeClientFrame(frame)
    written[0] = PROTOCOL_VERSION_BEFORE
    expect(decodeClientFrame(written)).toEqual(frame)
    expect(versionOf(written)).toBe(PROTOCOL_VERSION_BEFORE)
  })
  test('[PROTOCOL-4.4] who asks in the version before is answered in it, as it was then', () => {
    const session = { account, cursor: 1, mark: 2, keyPackages: 3, nowMs: 4, incarnation: new Uint8Array(16) }
    const answer: RelayFrame = { kind: 'answer', name: 'authenticate', id: 5, answer: session }
    const now = encodeRelayFrame(answer)
    const before = encodeRelayFrame(answer, PROTOCOL_VERSION_BEFORE)
    expect(before).toEqual(Uint8Array.of(PROTOCOL_VERSION_BEFORE, ...now.subarray(1, now.length - 16)))
    expect(() => decodeRelayFrame(before)).toThrow(expect.objectContaining({ code: 'frame-malformed' }))
  })
  test('[PROTOCOL-4.4] what goes to many, or before anything was asked, is read by both versions', () => {
    const pushed = relayFrames.filter(({ kind }) => kind === 'challenge' || kind === 'deliver' || kind === 'ephemeral')
    expect(pushed.map(frame => encodeRelayFrame(frame)[0])).toEqual(pushed.map(() => PROTOCOL_VERSION_BEFORE))
  })
  test('[PROTOCOL-4.1] no two calls share a tag', () => {
    const tags = Object.values(calls).map(({ tag }) => tag)
    expect(new Set(tags).size).toBe(tags.length)
  })
})

describe('what is not a frame is refused', () => {
  const whole = clientFrames.map(encodeClientFrame)

  test('[PROTOCOL-4.2] cut short or with bytes behind it', () => {
    for (const frame of whole) {
      for (let length = 0; length < frame.length; length++)
        expect(() => decodeClientFrame(frame.subarray(0, length))).toThrow(CodedError)
      expect(() => decodeClientFrame(Uint8Array.of(...frame, 0))).toThrow(CodedError)
    }
  })

  test.each([
    [0, 'Update the other side'],
    [1, 'Update the other side'],
    [PROTOCOL_VERSION + 1, 'Update this program'],
  ])('[PROTOCOL-4.2] version %i, and which side is behind', (version, which) => {
    const frame = Uint8Array.from(whole[1] ?? [])
    frame[0] = version
    expect(() => decodeClientFrame(frame)).toThrow(
      expect.objectContaining({ code: 'version-unsupported', message: expect.stringContaining(which) }),
    )
  })

  test('[PROTOCOL-4.2] any bytes at all: an answer or a refusal, never another error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (bytes, hasVersion) => {
        const frame = hasVersion ? Uint8Array.of(PROTOCOL_VERSION, ...bytes) : bytes
        for (const decode of [decodeClientFrame, decodeRelayFrame]) {
          try {
            decode(frame)
          } catch (error) {
            expect(error).toSatisfy(isRefusal)
          }
        }
      }),
    )
  })

  test('[PROTOCOL-4.3] a length beyond the bound is refused before anything is set aside for it', () => {
    const huge = Uint8Array.of(PROTOCOL_VERSION, calls.append.tag, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff)
    expect(() => decodeClientFrame(huge)).toThrow(expect.objectContaining({ code: 'frame-malformed' }))
    const many = Uint8Array.of(PROTOCOL_VERSION, calls.takeKeyPackages.tag, 0, 0, 0, 1, 0x7f, 0xff, 0xff, 0xff)
    expect(() => decodeClientFrame(many)).toThrow(expect.objectContaining({ code: 'frame-malformed' }))
  })

  test('[PROTOCOL-4.3] what is too large is not even written', () => {
    const request = { payload: new Uint8Array(wireLimits.messageBytesMax + 1), to: undefined, leave: false }
    expect(() => encodeClientFrame({ kind: 'call', name: 'append', id: 1, request })).toThrow(CodedError)
  })
})
