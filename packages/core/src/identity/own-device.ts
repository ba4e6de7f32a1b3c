// This device, as the relay and the groups know it. It is written before anyone else learns of it, so that a kill
// leaves a device that can log in.
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
  laterSerial,
  makeDevice,
  serialOf,
} from './device-certificate.ts'
import { retireKeyPackages } from './key-packages.ts'

type Parts = { own: OwnAccount; store: Store; provider: MlsProvider; clock: Clock; log: Log }

export class OwnDevice {
  readonly #parts: Parts
  #triesLeft: number = clientLimits.revokedTriesMax
  #isNewest = false
  /** One after the other: a renewal that ends after a replacement would bring the old keys back. */
  readonly #changes = new SerialQueue()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /**
   * Certifies the same keys under the next serial when the certificate is old. On a full disk the old one stays in use.
   */
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

  /** Makes new keys, which revoke every earlier copy of this database. Related changes are written with them. */
  async replace(withIt: (database: Database) => void, above = 0): Promise<void> {
    const { own, provider, clock } = this.#parts
    await this.#changes.run(async () => {
      const serial = laterSerial({ provider, clock }, Math.max(serialOf(own), above))
      await this.#adopt(await makeDevice(this.#certifying(), serial), withIt)
    })
  }

  /** Certifies the same keys above every serial that another life of this database can have shown. */
  async outrank(withIt: (database: Database) => void): Promise<void> {
    const { own, provider, clock } = this.#parts
    await this.#changes.run(async () => {
      const serial = laterSerial({ provider, clock }, serialOf(own))
      await this.#adopt(await certify(this.#certifying(), own, serial), withIt)
    })
  }

  async prove(challenge: { nonce: Uint8Array; audience: string }): Promise<CallRequest<'authenticate'>> {
    // Waits for a replacement in progress. A certificate that was made under a wrong clock may have expired by now.
    await this.renewIfDue()
    return await proveAccount(this.#parts, challenge)
  }

  /** From here on this process runs the account: if a later one revokes it, it does not fight back. */
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
   * Revoked before the first login of this process: the database was restored, or is a copy of one that has been used
   * since. The owner wants the process that was started last. After that login, the others were started last.
   */
  noteRefused({ details: { serial } }: CodedError): 'replaced' | 'over' {
    const own = serialOf(this.#parts.own)
    const latest = Math.max(own, this.#parts.clock.nowMs()) + clientLimits.serialStepMax
    const isBelievable = typeof serial === 'number' && serial >= own && serial <= latest
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
      // Others refuse to add an account with a lower serial than they have seen:
      // the key packages at the relay are of no use now.
      retireKeyPackages(database, clock.nowMs())
      withIt(database)
    })
    Object.assign(own, device)
  }
}
