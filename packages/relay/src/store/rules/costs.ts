// The cost of a write for its sender, in bytes per day: payloads, and the rows that a store creates for them.
import { relayFixedLimits } from '@postern/protocol'
import type { EnvelopeDelivery } from '../relay-store.ts'

/** Bytes of rows in addition to payloads. */
export const rowBytes = { entry: 128, reference: 24, named: 64, group: 256 } as const

/** A member may always leave, whatever it has sent before. */
export const isFreeFarewell = ({ kind }: EnvelopeDelivery, payloadBytes: number): boolean =>
  kind === 'leave' && payloadBytes <= relayFixedLimits.farewellBytesMax

export const appendCost = (payloadBytes: number, readers: number): number =>
  payloadBytes + rowBytes.entry + rowBytes.reference * readers

/** `bytes`: of the commit and its welcome; `named`: how many accounts it adds and removes. */
export const commitCost = ({ bytes, readers, named }: { bytes: number; readers: number; named: number }): number =>
  bytes + 2 * rowBytes.entry + rowBytes.reference * readers + rowBytes.named * named

export const keyPackagesCost = (packages: readonly Uint8Array[]): number =>
  packages.reduce((sum, { length }) => sum + length + rowBytes.entry, 0)
