// What tells a connection of a device from the newer ones, over all relays on the same data.

/** Given out by a store, and handed back to it with every write of the connection. */
export type Fence = { readonly device: string; readonly generation: number }

/** The device was claimed anew: what holds the older fence is over. */
export const replaces = (claimed: Fence, held: Fence): boolean =>
  claimed.device === held.device && claimed.generation > held.generation
