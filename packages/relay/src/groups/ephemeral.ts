// Relays frames that need not last: to members that are connected now, on any relay. Nothing of them is stored.
import { type AccountId, type GroupId, inBackground, isCoded, type Log, relayFixedLimits } from '@postern/protocol'
import {
  type CallAnswer,
  type CallRequest,
  type EphemeralFrame,
  encodeRelayFrame,
  readEphemeralHeader,
} from '@postern/protocol/relay'
import type { Rates } from '../limits/rates.ts'
import type { RelayLimits } from '../limits/relay-limits.ts'
import { MultiMap } from '../store/multi-map.ts'
import type { RelayStore } from '../store/relay-store.ts'

type Parts = { store: RelayStore; rates: Rates; limits: RelayLimits; log: Log }
type Caller = { readonly account: AccountId; readonly signal?: AbortSignal | undefined }
type SentFrame = EphemeralFrame & { group: GroupId }

export class EphemeralFrames {
  readonly #parts: Parts
  readonly #receivers = new MultiMap<AccountId, (frame: Uint8Array) => void>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Returns the function that ends it. `receive` never throws, and drops frames for a peer that reads too slowly. */
  follow(account: AccountId, receive: (frame: Uint8Array) => void): () => void {
    this.#receivers.add(account, receive)
    return () => this.#receivers.delete(account, receive)
  }

  /** A frame of another epoch goes to nobody: nobody could open it. */
  async send(
    { account: sender, signal }: Caller,
    { payload }: CallRequest<'sendEphemeral'>,
  ): Promise<CallAnswer<'sendEphemeral'>> {
    const { group, epoch } = readEphemeralHeader(payload)
    const { ephemeralMembersMin } = relayFixedLimits
    // Before the members are looked up: a refusal must cost almost nothing.
    this.#charge(sender, ephemeralMembersMin)
    const known = await this.#parts.store.getGroup(group, sender, signal)
    if (known.members.length > ephemeralMembersMin) this.#charge(sender, known.members.length - ephemeralMembersMin)
    if (known.epoch !== epoch) return {}
    this.#deliver(known.members, { sender, payload })
    await this.#parts.store.tellEphemeral({ group, sender, payload })
    return {}
  }

  /** From another relay on the same data. */
  hear(sent: SentFrame): void {
    if (this.#receivers.isEmpty) return
    inBackground(this.#deliverFrom(sent), { what: 'ephemeral frame not delivered', log: this.#parts.log })
  }

  async #deliverFrom({ group, ...frame }: SentFrame): Promise<void> {
    try {
      const { members } = await this.#parts.store.getGroup(group, frame.sender)
      this.#deliver(members, frame)
    } catch (error) {
      // The sender was removed in the meantime.
      if (!isCoded(error, 'group-unknown')) throw error
    }
  }

  #charge(sender: AccountId, count: number): void {
    const { rates, limits } = this.#parts
    rates.charge(`ephemeral ${sender}`, { count, max: limits.ephemeralPerMinute, what: 'ephemeral frames' })
  }

  #deliver(members: readonly AccountId[], { sender, payload }: EphemeralFrame): void {
    if (this.#receivers.isEmpty) return
    const frame = encodeRelayFrame({ kind: 'ephemeral', sender, payload })
    for (const member of members)
      if (member !== sender) for (const receive of this.#receivers.get(member)) receive(frame)
  }
}
