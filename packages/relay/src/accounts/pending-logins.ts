// Logins in progress: events about a device during its login count as if it were already logged in.
import { type AccountId, CodedError } from '@postern/protocol'
import { type DeviceClaim, type Fence, replaces, revokedRefusal } from '../store/fence.ts'
import { MultiMap } from '../store/multi-map.ts'

export class PendingLogin {
  readonly claim: DeviceClaim
  /** The highest serial received for the login's account. */
  #serial = 0
  /** The newest known connection of the device. */
  #newest: Fence | undefined

  constructor(claim: DeviceClaim) {
    this.claim = claim
  }

  serialRaised(serial: number): void {
    this.#serial = Math.max(this.#serial, serial)
  }

  deviceClaimed(claimed: Fence): void {
    if (!this.#newest || replaces(claimed, this.#newest)) this.#newest = claimed
  }

  /** Throws if a received event contradicts the login. Call this in the turn that admits the login. */
  assertCounts(fence: Fence | undefined): void {
    if (this.#serial > this.claim.serial) throw revokedRefusal(this.#serial)
    if (fence && this.#newest && replaces(this.#newest, fence))
      throw new CodedError('unauthenticated', { why: 'a newer connection of the same device has taken its place' })
  }
}

export class PendingLogins {
  readonly #byAccount = new MultiMap<AccountId, PendingLogin>()
  readonly #byDevice = new MultiMap<string, PendingLogin>()

  /**
   * Begin before reading anything about the account, so that later changes arrive as events.
   * The caller must call `end`.
   */
  begin(claim: DeviceClaim): PendingLogin {
    const arrival = new PendingLogin(claim)
    this.#byAccount.add(claim.account, arrival)
    this.#byDevice.add(claim.device, arrival)
    return arrival
  }

  end(arrival: PendingLogin): void {
    this.#byAccount.delete(arrival.claim.account, arrival)
    this.#byDevice.delete(arrival.claim.device, arrival)
  }

  serialRaised(account: AccountId, serial: number): void {
    for (const arrival of this.#byAccount.get(account)) arrival.serialRaised(serial)
  }

  deviceClaimed(claimed: Fence): void {
    for (const arrival of this.#byDevice.get(claimed.device)) arrival.deviceClaimed(claimed)
  }

  *devices(): Generator<string> {
    for (const { claim } of this.#byDevice.members()) yield claim.device
  }
}
