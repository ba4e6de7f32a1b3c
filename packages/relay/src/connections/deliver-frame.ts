// A page of a mailbox as it goes over the wire. An entry goes to all members of its group: it is encoded once for all of them.
import { type Entry, encodeRelayFrame } from '@postern/protocol/relay'

/** Version, kind, and the number of entries. */
const HEAD_BYTES = 6

/** For as long as the store holds the entry. A page of that entry alone, which is also what longer pages are made of. */
const frames = new WeakMap<Entry, Uint8Array>()

export function deliverFrame(entries: readonly Entry[]): Uint8Array {
  const [first] = entries
  if (!first) throw new TypeError('a page without entries is not delivered')
  return entries.length === 1 ? frameOf(first) : joined(entries.map(frameOf))
}

function frameOf(entry: Entry): Uint8Array {
  const known = frames.get(entry)
  if (known) return known
  // Exactly as long as it is: what is kept must not hold the room that was there for more.
  const frame = encodeRelayFrame({ kind: 'deliver', entries: [entry] }).slice()
  frames.set(entry, frame)
  return frame
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length - HEAD_BYTES, HEAD_BYTES)
  const frame = Buffer.allocUnsafe(length)
  frame.set(parts[0]?.subarray(0, HEAD_BYTES - 4) ?? [])
  frame.writeUInt32BE(parts.length, HEAD_BYTES - 4)
  let at = HEAD_BYTES
  for (const part of parts) {
    frame.set(part.subarray(HEAD_BYTES), at)
    at += part.length - HEAD_BYTES
  }
  return frame
}
