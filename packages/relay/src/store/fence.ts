// What tells a connection of a device from the newer ones, over all relays on the same data.
import { type AccountId, CodedError } from '@postern/protocol'

/** Given out by a store, and handed back to it with every write of the connection. */
export type Fence = { readonly device: string; readonly generation: number }

/** Who comes: `device` is its public key, as text, `serial` that of its certificate. */
export type DeviceClaim = { readonly device: string; readonly account: AccountId; readonly serial: number }

/** How a device stands: its newest connection, and the highest serial that was seen of its account. */
export type DeviceStanding = { readonly fence: Fence; readonly account: AccountId; readonly serial: number }

/** The device was claimed anew: what holds the older fence is over. */
export const replaces = (claimed: Fence, held: Fence): boolean =>
  claimed.device === held.device && claimed.generation > held.generation

export const revokedRefusal = (serial: number): CodedError =>
  new CodedError('bad-certificate', { why: 'it was revoked by a newer one', serial })
