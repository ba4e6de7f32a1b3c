// Where the account lives: whether there is one, whether it is open, and what keeps it from being so.
import { CodedError, inBackground, isCoded, logFault } from '@postern/protocol'
import type { FailureKind, Stage } from '../contract/stage.ts'
import { AppError } from './app-error.ts'
import { Account, type AccountAround } from './open-account.ts'
import { whenTaken } from './relay-code.ts'
import type { AccountBeginning } from './rim.ts'

export class Home {
  readonly #around: AccountAround
  #stage: Stage = { kind: 'starting' }
  #account: Account | undefined
  /** One after the other: two that open the same database would lock each other out. */
  #moving: Promise<void> = Promise.resolve()

  constructor(around: AccountAround) {
    this.#around = around
  }

  get stage(): Stage {
    return this.#stage
  }

  get account(): Account | undefined {
    return this.#account
  }

  start(): Promise<void> {
    return this.#move(() => this.#open())
  }

  /** Asked again when it is made already, as after a move of the core, it is the same account. */
  async begin(beginning: AccountBeginning): Promise<void> {
    await this.#move(async () => {
      if (this.#account) return
      await this.#open(beginning)
    })
    this.#assertOpen()
  }

  /** In place of one that cannot be opened, or of the empty database that was looked into. */
  async beginAnew(beginning: AccountBeginning): Promise<void> {
    await this.#move(async () => {
      if (this.#account) throw new AppError('account-exists')
      await this.#around.rim.forget()
      await this.#open(beginning)
    })
    this.#assertOpen()
  }

  /** Once it is known whether there is an account. */
  async settled(): Promise<Account | undefined> {
    await this.#moving
    return this.#account
  }

  async opened(): Promise<Account> {
    await this.#moving
    return this.#assertOpen()
  }

  /** Nothing of the account is left here, also of one that could not be opened. */
  async remove(): Promise<void> {
    await this.#move(async () => {
      const account = this.#account
      account?.leave()
      this.#account = undefined
      this.#around.settings.letGo()
      if (account) await account.opened.forgetEverything()
      else await this.#around.rim.forget()
      this.#become({ kind: 'no-account' })
    })
  }

  /** Another device has it: this one lets go, or both would take the connection from each other for ever. */
  async leaveToOther(): Promise<void> {
    await this.#move(async () => {
      if (!this.#account?.client.isReplaced) return
      await this.#close()
      this.#become({ kind: 'elsewhere' })
    })
  }

  async useHere(): Promise<void> {
    await this.#move(async () => {
      if (!this.#account) await this.#open()
    })
  }

  /** The account stays as it was made: only the relay has not taken it yet. Resolves when it has. */
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

  async #close(): Promise<void> {
    const account = this.#account
    this.#account = undefined
    this.#around.settings.letGo()
    await account?.stop()
  }

  async #open(beginning?: AccountBeginning): Promise<void> {
    const { rim, settings } = this.#around
    try {
      rim.assertSupported()
      const opened = await rim.open(beginning)
      if (!opened) return this.#become({ kind: 'no-account' })
      const account = new Account(opened, this.#around)
      this.#account = account
      await settings.keepIn(opened.client.records('settings'))
      this.#watch(account)
      if (beginning && 'by' in beginning && beginning.by === 'backup') await account.outgoing.holdBack()
      account.start()
      // The screen that asks for the code stays until the relay has answered.
      if (beginning && 'relayCode' in beginning) await whenTaken(opened.client, rim.clock)
      this.#become({ kind: 'open' })
    } catch (error) {
      logFault(error, { what: 'the account could not be opened', log: rim.log })
      // A name that is refused, or a backup that cannot be read, leaves everything as it was.
      if (beginning) throw error
      this.#become(failedBy(error))
    }
  }

  /** What the relay says of the account itself: that another device has it, that it knows of none, or lets it in no more. */
  #watch(account: Account): void {
    const { client } = account
    const { log } = this.#around.rim
    client.onConnectionChange(() => {
      if (this.#account !== account) return
      if (client.isReplaced) inBackground(this.leaveToOther(), { what: 'the account was not let go', log })
      else if (isCoded(client.refusal, 'account-unknown', 'account-banned')) this.#become(failedBy(client.refusal))
      else if (!client.isRegistered && isCoded(client.refusal, ...ofNewcomers))
        inBackground(this.#leaveOutside(account), { what: 'the account was not let go', log })
      else if (client.isOnline && this.#stage.kind === 'failed') this.#become({ kind: 'open' })
    })
  }

  /** A code that the relay does not take would be tried again and again, until no other is heard from this address. */
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
    this.#around.touch('stage')
  }
}

const kinds: readonly [FailureKind, Parameters<typeof isCoded>[1][]][] = [
  ['storage-cleared', ['database-key-missing', 'database-key-wrong']],
  ['database-damaged', ['database-damaged']],
  ['storage-full', ['storage-full']],
  ['database-newer', ['database-newer']],
  ['account-unknown', ['account-unknown']],
  ['account-banned', ['account-banned']],
  ['registration-closed', ['registration-closed']],
  ['code-needed', ['invite-required', 'invite-wrong', 'invite-used', 'invite-expired']],
]

/** What a relay says to accounts that it does not have yet. One that it has taken is asked for no code, whatever it says. */
const ofNewcomers = kinds
  .filter(([kind]) => kind === 'registration-closed' || kind === 'code-needed')
  .flatMap(([, codes]) => codes)

/** Thrown by a rim that lacks what the app needs. */
export class Unsupported extends Error {}

function failedBy(error: unknown): Stage {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof Unsupported) return { kind: 'failed', why: 'unsupported', message }
  const known = kinds.find(([, codes]) => error instanceof CodedError && isCoded(error, ...codes))
  return { kind: 'failed', why: known?.[0] ?? 'unknown', message }
}
