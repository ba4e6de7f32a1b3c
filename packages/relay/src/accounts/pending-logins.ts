// Logins under way: what is heard of a device while it is being let in counts as if it were in already.
import { type AccountId, CodedError } from '@postern/protocol'
import { type DeviceClaim, type Fence, replaces, revokedRefusal } from '../store/fence.ts'
import { MultiMap } from '../store/multi-map.ts'

export class PendingLogin {
  readonly claim: DeviceClaim
  /** The highest that was heard of its account. */
  #serial = 0
  /** The newest connection of its device that was heard of. */
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

  /** Throws when what was heard is against it. To be asked in the turn in which it is let in. */
  assertCounts(fence: Fence | undefined): void {
    if (this.#serial > this.claim.serial) throw revokedRefusal(this.#serial)
    if (fence && this.#newest && replaces(this.#newest, fence))
      throw new CodedError('unauthenticated', { why: 'a newer connection of the same device has taken its place' })
  }
}

export class PendingLogins {
  readonly #byAccount = new MultiMap<AccountId, PendingLogin>()
  readonly #byDevice = new MultiMap<string, PendingLogin>()

  /** Before anything is read of the account: what changes behind that read is heard. Whoever begins one ends it. */
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
