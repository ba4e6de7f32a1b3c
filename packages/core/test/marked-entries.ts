// The marks with which a client sends its entries, as they pass its wire.
import { type CallRequest, decodeClientFrame } from '@postern/protocol/relay'
import type { TestPerson, Wire } from '@postern/testkit'

export type SentEntry = CallRequest<'appendMarked'>

/** All entries from now on, in their order. */
export function entriesOn(wire: Wire): SentEntry[] {
  const sent: SentEntry[] = []
  wire.outgoing = frame => {
    const decoded = decodeClientFrame(frame.slice())
    if (decoded.kind === 'call' && decoded.name === 'appendMarked') sent.push(decoded.request)
    return [frame]
  }
  return sent
}

/** Those to everybody in the chat: receipts come when they come. */
export const attentions = (sent: SentEntry[]): string[] =>
  sent.filter(({ to }) => to === undefined).map(({ attention }) => attention)

/** The relay has the person's name, and no greeting is due that would come between the entries of a test. */
export const hasGreeted = ({ client }: TestPerson): boolean =>
  client['core'].store.get('SELECT 1 FROM account WHERE published_version = profile_version') !== undefined &&
  client['core'].store.get('SELECT 1 FROM mls_group WHERE needs_hello = 2') === undefined
