// A relay that lies to one client: the real relay, whose frames are decoded, changed and encoded again on the wire.
import {
  type CallAnswer,
  type CallName,
  type CallRequest,
  type Delivery,
  decodeClientFrame,
  decodeRelayFrame,
  encodeRelayFrame,
  type MailboxEntry,
  type RelayFrame,
} from '@postern/protocol/relay'
import type { Wire } from './wire.ts'

type ChangeEntries = (entries: MailboxEntry[]) => MailboxEntry[]
type ChangeFrame = (frame: RelayFrame) => RelayFrame[]

/** A relay that hides entries, even when it is honest again, names no position that would reveal them. */
const unplaced = ({ entries }: Delivery): RelayFrame => ({ kind: 'deliver', entries })

export class HostileRelay {
  readonly #wire: Wire
  /** Every entry that the real relay delivered since this one took over. */
  readonly delivered: MailboxEntry[] = []
  /** The highest cursor that the client has seen. */
  shown = 0

  constructor(wire: Wire) {
    this.#wire = wire
    this.change(frame => [frame])
  }

  /** For each frame to the client, the frames that replace it. */
  change(change: ChangeFrame): void {
    this.#wire.incoming = bytes => {
      const frame = decodeRelayFrame(bytes.slice())
      if (frame.kind === 'deliver') this.delivered.push(...frame.entries)
      const changed = change(frame)
      for (const one of changed)
        if (one.kind === 'deliver') this.shown = Math.max(this.shown, ...one.entries.map(entry => entry.cursor))
      return changed.map(frame => encodeRelayFrame(frame.kind === 'deliver' ? unplaced(frame) : frame))
    }
  }

  /** Holds these frames back, and returns them in order as they come. */
  holdBack(isHeld: (frame: RelayFrame) => boolean): RelayFrame[] {
    const held: RelayFrame[] = []
    this.change(frame => {
      if (!isHeld(frame)) return [frame]
      held.push(frame)
      return []
    })
    return held
  }

  changeEntries(change: ChangeEntries): void {
    this.change(frame => {
      if (frame.kind !== 'deliver') return [frame]
      const entries = change(frame.entries)
      return entries.length > 0 ? [{ kind: 'deliver', entries }] : []
    })
  }

  changeAnswer<Name extends CallName>(name: Name, change: (answer: CallAnswer<Name>) => CallAnswer<Name>): void {
    this.change(frame => {
      if (frame.kind !== 'answer' || frame.name !== name) return [frame]
      return [{ ...frame, answer: change(frame.answer as CallAnswer<Name>) } as RelayFrame]
    })
  }

  /** Answers calls itself, without asking the real relay; undefined lets a call pass. */
  answerInstead<Name extends CallName>(
    name: Name,
    answer: (request: CallRequest<Name>) => CallAnswer<Name> | undefined,
  ): void {
    this.#wire.outgoing = bytes => {
      const frame = decodeClientFrame(bytes.slice())
      if (frame.kind !== 'call' || frame.name !== name) return [bytes]
      const given = answer(frame.request as CallRequest<Name>)
      if (given === undefined) return [bytes]
      this.say({ kind: 'answer', name, id: frame.id, answer: given } as RelayFrame)
      return []
    }
  }

  /** A frame that the real relay never sent. */
  say(frame: RelayFrame): void {
    const bytes = encodeRelayFrame(frame)
    queueMicrotask(() => this.#wire.inject(bytes))
  }

  /** From now on nothing is changed. */
  repent(): void {
    this.change(frame => [frame])
    this.#wire.outgoing = frame => [frame]
  }
}
