// Faults of a wire: it loses a person's calls, loses their answers, or answers them in the relay's place.
import type { ErrorCode } from '@postern/protocol'
import { decodeClientFrame, decodeRelayFrame, encodeRelayFrame } from '@postern/protocol/relay'
import type { TestPerson, Wire } from '@postern/testkit'

/** The calls that carry an envelope. */
type Carrying = 'appendMarked' | 'commit'

export function callOf(frame: Uint8Array): string {
  const decoded = decodeClientFrame(frame)
  return decoded.kind === 'call' ? decoded.name : decoded.kind
}

/** The names of the calls that pass, or of these alone. */
export function callsOn(wire: Wire, names?: readonly string[]): string[] {
  const calls: string[] = []
  wire.outgoing = frame => {
    const name = callOf(frame)
    if (names?.includes(name) ?? true) calls.push(name)
    return [frame]
  }
  return calls
}

/** The calls that send something to others: messages, sealed ones and commits. */
export const spokenOn = (wire: Wire): string[] => callsOn(wire, ['appendMarked', 'commit', 'createGroup'])

/** These calls do not reach the relay. Returns how many were lost. */
export function loseCalls({ wire }: TestPerson, ...names: string[]): () => number {
  let lost = 0
  wire.outgoing = frame => {
    if (!names.includes(callOf(frame))) return [frame]
    lost++
    return []
  }
  return () => lost
}

/**
 * The relay accepts these calls, and its answers are lost;
 * `deliver` means the messages of others. Returns how many were lost.
 */
export function loseAnswers({ wire }: TestPerson, ...names: string[]): () => number {
  let lost = 0
  wire.incoming = frame => {
    const decoded = decodeRelayFrame(frame)
    if (!names.includes(decoded.kind === 'answer' ? decoded.name : decoded.kind)) return [frame]
    lost++
    return []
  }
  return () => lost
}

/**
 * The relay accepts these calls, and its answers wait for the returned function,
 * which lets them and all later ones through.
 */
export function holdAnswers({ wire }: TestPerson, ...names: string[]): () => void {
  const held: Uint8Array[] = []
  wire.incoming = frame => {
    const decoded = decodeRelayFrame(frame)
    if (decoded.kind !== 'answer' || !names.includes(decoded.name)) return [frame]
    held.push(frame)
    return []
  }
  return () => {
    wire.incoming = frame => [frame]
    for (const frame of held.splice(0)) wire.inject(frame)
  }
}

/** The payloads of these calls, as they pass. */
export function watchCalls({ wire }: TestPerson, name: Carrying): Buffer[] {
  const payloads: Buffer[] = []
  wire.outgoing = frame => {
    const decoded = decodeClientFrame(frame)
    if (decoded.kind === 'call' && decoded.name === name) payloads.push(Buffer.from(decoded.request.payload))
    return [frame]
  }
  return payloads
}

/** These calls fail, and the relay says why. Returns the payloads of each. */
export function refuseCalls(
  { wire }: TestPerson,
  code: ErrorCode,
  ...names: (Carrying | 'outcome')[]
): Record<Carrying, Buffer[]> {
  const payloads = { appendMarked: [] as Buffer[], commit: [] as Buffer[] }
  wire.outgoing = frame => {
    const decoded = decodeClientFrame(frame)
    if (decoded.kind !== 'call' || !names.some(name => name === decoded.name)) return [frame]
    if (decoded.name === 'appendMarked' || decoded.name === 'commit')
      payloads[decoded.name].push(Buffer.from(decoded.request.payload))
    const failure = encodeRelayFrame({
      kind: 'failure',
      id: decoded.id,
      code,
      message: code,
      retryAtMs: undefined,
      serial: undefined,
    })
    queueMicrotask(() => wire.inject(failure))
    return []
  }
  return payloads
}

/** Everything passes again, over a new connection. */
export function mend({ wire }: TestPerson): void {
  wire.outgoing = frame => [frame]
  wire.incoming = frame => [frame]
  wire.drop()
}
