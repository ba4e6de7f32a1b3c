// Mutates the messages of a relay to a client: the bytes of a frame, or the values of its fields.
import { decodeRelayFrame, encodeRelayFrame, type MailboxEntry, type RelayFrame } from '@postern/protocol/relay'
import type { SeededRandom } from '@postern/testkit'
import { newGroupId } from '@postern/testkit/bare-client'
import { bentBytes } from './bend-bytes.ts'

const numbers = [0, 1, 2, 1000, 2 ** 31, 2 ** 32, 2 ** 53 - 1]
const kinds = ['message', 'commit', 'welcome', 'direct', 'leave'] as const

export function bentRelayFrame(right: Uint8Array, random: SeededRandom): Uint8Array {
  if (random.below(2) === 0) return bentBytes(right, random)
  return encodeRelayFrame(bentFields(decodeRelayFrame(right.slice()), random))
}

function bentFields(frame: RelayFrame, random: SeededRandom): RelayFrame {
  switch (frame.kind) {
    case 'deliver':
      return { kind: 'deliver', after: bentAfter(frame.after, random), entries: bentEntries(frame.entries, random) }
    case 'ephemeral':
      return { ...frame, payload: frame.payload.length > 0 ? bentBytes(frame.payload, random) : frame.payload }
    case 'challenge':
      return { ...frame, nowMs: nearby(frame.nowMs, random) }
    case 'answer':
      return { ...frame, id: nearby(frame.id, random) % 2 ** 32 }
    case 'failure':
      return { ...frame, code: random.of(['', 'internal', 'rate-limited', 'unauthenticated', '__proto__']) }
  }
}

const bentAfter = (after: number | undefined, random: SeededRandom): number | undefined =>
  after === undefined || random.below(2) === 0 ? after : nearby(after, random)

function bentEntries(entries: MailboxEntry[], random: SeededRandom): MailboxEntry[] {
  const bent = entries.map(entry => (random.below(2) === 0 ? bentEntry(entry, random) : entry))
  switch (random.below(4)) {
    case 0:
      return bent.toReversed()
    case 1:
      return [...bent, ...entries]
    default:
      return bent
  }
}

function bentEntry(entry: MailboxEntry, random: SeededRandom): MailboxEntry {
  switch (random.below(8)) {
    case 0:
      return { ...entry, cursor: nearby(entry.cursor, random) }
    case 1:
      return { ...entry, seq: nearby(entry.seq, random) }
    case 2:
      return { ...entry, ts: nearby(entry.ts, random) }
    case 3:
      return { ...entry, kind: random.of(kinds) }
    case 4:
      return { ...entry, added: [...entry.added, entry.sender], removed: [...entry.removed, entry.sender] }
    case 5:
      return { ...entry, group: newGroupId() }
    default:
      return { ...entry, payload: entry.payload.length > 0 ? bentBytes(entry.payload, random) : entry.payload }
  }
}

const nearby = (value: number, random: SeededRandom): number =>
  random.below(2) === 0 ? Math.max(0, value + random.below(7) - 3) : random.of(numbers)
