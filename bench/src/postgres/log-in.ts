// Accounts of a store, and their logins: what a relay asks of the store for each.
import type { AccountId } from '@postern/protocol'
import type { RelayStore } from '@postern/relay/store'
import { ratePerSec } from '../figures.ts'

const REGISTERED_AT_ONCE = 100

/** With the names that a relay gives to devices, and the key as text. */
export type KnownDevice = { id: AccountId; accountKey: string; device: string }
export type LoginLoad = { known: KnownDevice[]; inFlight: number; logins: number }

/** All of them have been there before. */
export async function registerAll(store: RelayStore, known: KnownDevice[]): Promise<void> {
  const register = async (at: number): Promise<void> => {
    const { id, accountKey, device } = known[at] as KnownDevice
    await store.registerAccount(id, { accountKey: Buffer.from(accountKey, 'base64url'), nowMs: Date.now() })
    await store.claimDevice({ device, account: id, serial: 0 })
  }
  await ratePerSec(register, { count: known.length, atOnce: REGISTERED_AT_ONCE })
}

/** How many a second. */
export function logIn(store: RelayStore, { known, inFlight, logins }: LoginLoad): Promise<number> {
  const login = async (at: number): Promise<void> => {
    const { id, device } = known[at % known.length] as KnownDevice
    await store.getAccount(id)
    await store.claimDevice({ device, account: id, serial: 0 })
  }
  return ratePerSec(login, { count: logins, atOnce: inFlight })
}
