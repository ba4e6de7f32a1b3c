// Encodes a page of a mailbox as frames.
// An entry goes to all members of its group, so it is encoded once for all of them.
import { ACCOUNT_ID_BYTES, relayFixedLimits } from '@postern/protocol'
import { chainedHead, encodeRelayFrame } from '@postern/protocol/relay'
import type { StoredEntry } from '../store/relay-store.ts'

/** Version, kind, and the number of entries. */
const HEAD_BYTES = 6

export function deliverFrame(entries: readonly StoredEntry[]): Uint8Array {
  const [first] = entries
  if (!first) throw new TypeError('a page without entries is not delivered')
  return entries.length === 1 ? frameOf(first) : joined(entries.map(frameOf))
}

/**
 * The same page for a reader that asked for chained pages, as pieces of one frame. The head differs per reader. A long
 * entry is not copied behind it: a commit of a megabyte to a thousand members stays in memory once.
 */
export function chainedFrame(after: number, entries: readonly StoredEntry[]): Uint8Array[] {
  const head = chainedHead(after, entries.length)
  const bodies = entries.map(entry => frameOf(entry).subarray(HEAD_BYTES))
  const [only] = bodies
  const isShared = only && bodies.length === 1 && only.length > relayFixedLimits.copiedEntryBytesMax
  return isShared ? [head, only] : [Buffer.concat([head, ...bodies])]
}

function frameOf(entry: StoredEntry): Uint8Array {
  if (entry.frame) return entry.frame
  const frame = encodeRelayFrame({ kind: 'deliver', entries: [entry] })
  // Two lists of accounts follow the payload, each with its length.
  const end = frame.length - 8 - ACCOUNT_ID_BYTES * (entry.added.length + entry.removed.length)
  entry.payload = frame.subarray(end - entry.payload.length, end)
  entry.frame = frame
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
