// A page of a mailbox on the wire, made of entries that were encoded once.
import { randomBytes } from 'node:crypto'
import { accountIdFromHash } from '@postern/protocol'
import { decodeRelayFrame, encodeRelayFrame, type MailboxEntry } from '@postern/protocol/relay'
import { expect, test } from 'vitest'
import { chainedFrame, deliverFrame } from '../src/connections/deliver-frame.ts'
import { newGroupId } from './test-client.ts'

const entryOf = (cursor: number, size: number, named = 0): MailboxEntry => ({
  cursor,
  group: newGroupId(),
  seq: cursor,
  kind: named > 0 ? 'commit' : 'message',
  sender: accountIdFromHash(randomBytes(32)),
  ts: 1_900_000_000_000 + cursor,
  payload: randomBytes(size),
  added: Array.from({ length: named }, () => accountIdFromHash(randomBytes(32))),
  removed: Array.from({ length: named }, () => accountIdFromHash(randomBytes(32))),
})

const entries = [entryOf(1, 0), entryOf(2, 300), entryOf(9, 1000, 3), entryOf(256, 70_000), entryOf(2 ** 40, 5, 1)]

test.each([1, 2, 3, 5])('[RELAY-2.24] a page of %i is what it would be for one reader alone', count => {
  const page = entries.slice(0, count)
  const frame = deliverFrame(page)
  expect(Buffer.compare(frame, encodeRelayFrame({ kind: 'deliver', entries: page }))).toBe(0)
  expect(decodeRelayFrame(frame)).toMatchObject({ kind: 'deliver', entries: page.map(({ cursor }) => ({ cursor })) })
})

test('[RELAY-2.24] the entry that many get is the same bytes in memory', () => {
  const entry = entryOf(3, 200)
  expect(deliverFrame([entry])).toBe(deliverFrame([entry]))
  const later = deliverFrame([entries[1] as MailboxEntry, entry])
  expect(Buffer.compare(later.subarray(-deliverFrame([entry]).length + 6), deliverFrame([entry]).subarray(6))).toBe(0)
})

test.each([1, 2, 3, 5])('[RELAY-2.28] a chained page of %i entries names the position before it', count => {
  const page = entries.slice(0, count)
  const frame = Buffer.concat(chainedFrame(7, page))
  expect(Buffer.compare(frame, encodeRelayFrame({ kind: 'deliver', after: 7, entries: page }))).toBe(0)
  expect(decodeRelayFrame(frame)).toMatchObject({ after: 7, entries: page.map(({ cursor }) => ({ cursor })) })
})

test('[RELAY-2.24] a long entry is the same bytes in memory for all who read it chained', () => {
  const entry = entryOf(3, 5000)
  const [first, second] = [chainedFrame(1, [entry]), chainedFrame(2, [entry])]
  expect(first).toHaveLength(2)
  expect(first[1]?.buffer).toBe(second[1]?.buffer)
})

test('[RELAY-2.24] a page without entries is a fault of ours', () => {
  expect(() => deliverFrame([])).toThrow(TypeError)
})
