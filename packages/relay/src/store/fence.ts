// Fencing tokens: tell a device's connection from newer ones, across all relays on the same data.
import { type AccountId, CodedError } from '@postern/protocol'

/** Issued by a store, and passed back to it with every write of the connection. */
export type Fence = { readonly device: string; readonly generation: number }

/** The claim of a device: `device` is its public key as text, `serial` that of its certificate. */
export type DeviceClaim = { readonly device: string; readonly account: AccountId; readonly serial: number }

/** The state of a device: its newest connection, and the highest serial known of its account. */
export type DeviceStanding = { readonly fence: Fence; readonly account: AccountId; readonly serial: number }

/** The device was claimed again, so the older fence is void. */
export const replaces = (claimed: Fence, held: Fence): boolean =>
  claimed.device === held.device && claimed.generation > held.generation

export const revokedRefusal = (serial: number): CodedError =>
  new CodedError('bad-certificate', { why: 'it was revoked by a newer one', serial })
