// The state of the account: whether there is one, whether it is open, and what prevents that.
import {
  appLimits,
  type CloseStack,
  CodedError,
  Deferred,
  inBackground,
  isCoded,
  logFault,
  startWhole,
} from '@postern/protocol'
import type { Stage } from '../../contract/stage.ts'
import { AppError } from '../app-error.ts'
import type { AccountBeginning, OpenedAccount } from '../platform.ts'
import type { LockChange } from './app-lock.ts'
import { Account, type AccountAround } from './open-account.ts'
import { whenTaken } from './relay-code.ts'
import { failedBy, ofNewcomers } from './startup-faults.ts'
import { UnlockWait } from './unlock-wait.ts'

type Entering = { beginning: AccountBeginning | undefined; entered: CloseStack }

export class AccountLifecycle {
  readonly #around: AccountAround
  #stage: Stage = { kind: 'starting' }
  #account: Account | undefined
  /** Calls that came while the account was locked wait for this. */
  #unlocking = new Deferred()
  readonly #wait: UnlockWait
  /** One after the other: two openings of the same database would lock each other out. */
  #moving: Promise<void> = Promise.resolve()

  constructor(around: AccountAround) {
    this.#around = around
    const { clock, wrongPassphrases } = around.platform
    this.#wait = new UnlockWait({ clock, wrongPassphrases })
  }

  get stage(): Stage {
    return this.#stage.kind === 'locked' ? { kind: 'locked', waitMs: this.#wait.leftMs } : this.#stage
  }

  get account(): Account | undefined {
    return this.#account
  }

  start(): Promise<void> {
    return this.#move(() => this.#open())
  }

  /** Repeated after it was created, for example after a move of the core, it is the same account. */
  async begin(beginning: AccountBeginning): Promise<void> {
    await this.#move(async () => {
      if (this.#account) return
      await this.#open(beginning)
    })
    this.#assertOpen()
  }

  /** Replaces an account that cannot be opened, or the empty database that was inspected. */
  async beginAnew(beginning: AccountBeginning): Promise<void> {
    await this.#move(async () => {
      if (this.#account) throw new AppError('account-exists')
      await this.#around.platform.forget()
      await this.#open(beginning)
    })
    this.#assertOpen()
  }

  /** Resolves once it is known whether there is an account. */
  async settled(): Promise<Account | undefined> {
    await this.#moving
    return this.#account
  }

  /** A message that was sent before the core moved to another page is not lost with the lock. */
  async opened(): Promise<Account> {
    await this.#moving
    while (this.#stage.kind === 'locked') await this.#unlocking.promise
    return this.#assertOpen()
  }

  /**
   * Also at the relay. If that is unreachable, nothing is removed: the account would stay there with nobody to delete
   * it.
   */
  async delete(): Promise<void> {
    const client = this.#account?.client
    if (client?.isRegistered) await client.identity.deleteAccount({ timeoutMs: appLimits.callTimeoutMs })
    await this.remove()
  }

  /** Nothing of the account is left here, also of one that could not be opened. */
  async remove(): Promise<void> {
    await this.#move(async () => {
      const account = this.#account
      await this.#forgetPush()
      account?.leave()
      this.#account = undefined
      this.#around.settings.letGo()
      if (account) await account.opened.forgetEverything()
      else await this.#around.platform.forget()
      this.#become({ kind: 'no-account' })
    })
  }

  /** Another device has it: this one disconnects, or both would take the connection from each other forever. */
  async leaveToOther(): Promise<void> {
    await this.#move(async () => {
      if (!this.#account?.client.isReplaced) return
      await this.#forgetPush()
      await this.#close()
      this.#become({ kind: 'elsewhere' })
    })
  }

  async useHere(): Promise<void> {
    await this.#move(async () => {
      if (!this.#account) await this.#open()
    })
  }

  /** Throws `passphrase-wrong`, and `unlock-too-soon` after several of them. */
  async unlock(passphrase: string): Promise<void> {
    await this.#move(async () => {
      if (this.#account) return
      this.#wait.assertOver()
      try {
        await this.#wait.counted(this.#open(undefined, passphrase))
      } finally {
        this.#around.touch('stage')
      }
    })
  }

  /** One after the other with locking and unlocking. */
  async setLock(change: LockChange): Promise<void> {
    await this.opened()
    await this.#move(async () => {
      const account = this.#assertOpen()
      // Before that, the relay may want a code, and opening the account with it would need the passphrase, too.
      if (!account.client.isRegistered) throw new CodedError('not-registered')
      await account.lock.set(change)
    })
  }

  /** Closes the account: nothing of it is left in this worker's hands, and the relay sends pushes again. */
  async lock(): Promise<void> {
    await this.#move(async () => {
      if (!this.#account?.lock.isSet) return
      await this.#close()
      this.#become({ kind: 'locked', waitMs: 0 })
    })
  }

  /** The account stays as it was created: only the relay has not accepted it yet. Resolves when it has. */
  async useRelayCode(relayCode: string): Promise<void> {
    await this.#move(async () => {
      if (this.#account?.client.isRegistered) return
      await this.#close()
      await this.#open({ relayCode })
    })
    this.#assertOpen()
  }

  async stop(): Promise<void> {
    await this.#move(() => this.#close())
  }

  /**
   * A push that still comes names nobody. The relay forgets the subscription with the account or when another
   * device has it, and otherwise when the push service says that the page has ended it.
   */
  async #forgetPush(): Promise<void> {
    const { platform } = this.#around
    try {
      await (await platform.pushShelf()).clear()
    } catch (error) {
      logFault(error, { what: 'the facts for notifications were not erased', log: platform.log })
    }
  }

  async #close(): Promise<void> {
    const account = this.#account
    this.#account = undefined
    this.#around.settings.letGo()
    await account?.stop()
  }

  async #open(beginning?: AccountBeginning, passphrase?: string): Promise<void> {
    const { platform } = this.#around
    try {
      await platform.assertSupported()
      const opened = await platform.open(beginning, passphrase)
      if (!opened) return this.#become({ kind: 'no-account' })
      await startWhole(platform, entered => this.#enter(opened, { beginning, entered }))
      // The screen that asks for the code stays until the relay has answered.
      if (beginning && 'relayCode' in beginning) await whenTaken(opened.client, platform.clock)
      this.#become({ kind: 'open' })
    } catch (error) {
      if (isCoded(error, 'passphrase-needed') && !beginning) {
        await this.#wait.begin()
        return this.#become({ kind: 'locked', waitMs: 0 })
      }
      if (isCoded(error, 'passphrase-wrong')) throw error
      logFault(error, { what: 'the account could not be opened', log: platform.log })
      // A refused name, or an unreadable backup, leaves everything unchanged.
      if (beginning) throw error
      this.#become(failedBy(error))
    }
  }

  /** Half open, an account could neither be used nor opened again. */
  async #enter(opened: OpenedAccount, { beginning, entered }: Entering): Promise<void> {
    const { settings } = this.#around
    const { client } = entered.add(opened, it => it.client.stop())
    const { log } = this.#around.platform
    const close = () => inBackground(this.lock(), { what: 'the account was not locked', log })
    const account = entered.add(new Account(opened, this.#around, { wait: this.#wait, close }), it => {
      it.leave()
      this.#account = undefined
      settings.letGo()
    })
    this.#account = account
    await settings.keepIn(client.records('settings'))
    await account.lock.start()
    this.#watch(account)
    if (beginning && 'by' in beginning && beginning.by === 'backup') await account.outgoing.holdBack()
    account.start()
  }

  /** The relay's statements about the account itself: another device has it, it is unknown, or it is banned. */
  #watch(account: Account): void {
    const { client } = account
    const { log } = this.#around.platform
    client.onConnectionChange(() => {
      if (this.#account !== account) return
      if (client.isReplaced) inBackground(this.leaveToOther(), { what: 'the account was not let go', log })
      else if (isCoded(client.refusal, 'account-unknown', 'account-banned')) this.#become(failedBy(client.refusal))
      else if (!client.isRegistered && isCoded(client.refusal, ...ofNewcomers))
        inBackground(this.#leaveOutside(account), { what: 'the account was not let go', log })
      else if (client.isOnline && this.#stage.kind === 'failed') this.#become({ kind: 'open' })
    })
  }

  /** An invalid code would be retried until the relay accepts no further code from this address. */
  async #leaveOutside(account: Account): Promise<void> {
    const { refusal } = account.client
    await this.#move(async () => {
      if (this.#account !== account) return
      await this.#close()
      this.#become(failedBy(refusal))
    })
  }

  #assertOpen(): Account {
    if (this.#account) return this.#account
    throw new AppError(this.#stage.kind === 'elsewhere' ? 'account-elsewhere' : 'no-account')
  }

  #move(work: () => Promise<void>): Promise<void> {
    const moved = this.#moving.then(work)
    this.#moving = moved.catch(() => undefined)
    return moved
  }

  #become(stage: Stage): void {
    this.#stage = stage
    if (stage.kind !== 'locked') {
      this.#unlocking.resolve()
      this.#unlocking = new Deferred()
    }
    this.#around.touch('stage')
  }
}
