// This device, as the relay and the groups know it. Written before anybody hears of it: a kill leaves one that can log in.
import type { MlsProvider } from '@postern/mls'
import { type Clock, type CodedError, clientLimits, faultFields, type Log, SerialQueue } from '@postern/protocol'
import type { CallRequest } from '@postern/protocol/relay'
import type { Database } from '../storage/database.ts'
import type { Store } from '../storage/transactions/store.ts'
import { type OwnAccount, proveAccount } from './account.ts'
import {
  type CertificateContext,
  certify,
  type Device,
  isDueForRenewal,
  makeDevice,
  serialOf,
} from './device-certificate.ts'
import { retireKeyPackages } from './key-packages.ts'

type Parts = { own: OwnAccount; store: Store; provider: MlsProvider; clock: Clock; log: Log }

export class OwnDevice {
  readonly #parts: Parts
  #triesLeft: number = clientLimits.revokedTriesMax
  #isNewest = false
  /** One after the other: a renewal that ends behind a replacement would bring the old keys back. */
  readonly #changes = new SerialQueue()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Certifies the same keys under the next serial when the certificate grows old. On a full disk the old one serves on. */
  async renewIfDue(): Promise<void> {
    const { own, clock, log } = this.#parts
    const renew = async () => {
      if (!isDueForRenewal(own, clock.nowMs())) return
      await this.#adopt(await certify(this.#certifying(), own, serialOf(own) + 1), () => {})
    }
    await this.#changes.run(renew).catch((error: unknown) => {
      log.warn(faultFields(error), 'device certificate not renewed')
    })
  }

  /** New keys, with which every copy of this database from before is out. What belongs together is written with them. */
  async replace(withIt: (database: Database) => void, above = 0): Promise<void> {
    const { own, provider } = this.#parts
    await this.#changes.run(async () => {
      // Two copies that are started at the same moment would both take the next one, and none of them would be out.
      const step = 1 + (provider.randomBytes(1)[0] ?? 0)
      const serial = Math.max(serialOf(own), above) + step
      await this.#adopt(await makeDevice(this.#certifying(), serial), withIt)
    })
  }

  async prove(challenge: { nonce: Uint8Array; audience: string }): Promise<CallRequest<'authenticate'>> {
    // Behind a replacement that is under way; and made under a clock that was wrong then, it may be over by now.
    await this.renewIfDue()
    return await proveAccount(this.#parts, challenge)
  }

  /** From here on this process runs the account: should a later one put it out, it does not fight for its place. */
  noteLoggedIn(): void {
    this.#triesLeft = 0
  }

  /** Whether this process has followed the mailbox: nobody can have restored its database since. */
  get isNewest(): boolean {
    return this.#isNewest
  }

  noteNewest(): void {
    this.#isNewest = true
  }

  /**
   * Revoked before the first login of this process: the database was restored, or started as a copy of one that has
   * gone on since, and what was started last is what its owner wants. Later on it is the others who were started last.
   */
  noteRefused({ details: { serial } }: CodedError): 'replaced' | 'over' {
    const own = serialOf(this.#parts.own)
    const isBelievable = typeof serial === 'number' && serial >= own && serial <= own + clientLimits.serialStepMax
    if (!isBelievable) return 'over'
    if (this.#triesLeft <= 0) {
      this.#parts.log.error({}, 'newer copy of this database is running; only one may run')
      return 'over'
    }
    this.#triesLeft--
    this.#parts.log.warn({}, 'older copy of the database takes over the account')
    this.replace(() => {}, serial).catch((error: unknown) => {
      this.#parts.log.error(faultFields(error), 'new device not saved')
    })
    return 'replaced'
  }

  #certifying(): CertificateContext {
    const { provider, clock, own } = this.#parts
    return { provider, clock, accountSecretKey: own.secretKey }
  }

  async #adopt(device: Device, withIt: (database: Database) => void): Promise<void> {
    const { own, store, clock } = this.#parts
    await store.write(database => {
      database.run(
        'UPDATE account SET device_secret_key = ?, device_public_key = ?, certificate = ?',
        device.deviceSecretKey,
        device.devicePublicKey,
        device.certificate,
      )
      // Others refuse to add an account by a lower serial than they have seen: those at the relay are of no use now.
      retireKeyPackages(database, clock.nowMs())
      withIt(database)
    })
    Object.assign(own, device)
  }
}
