// The app lock of an open account: its passphrase, and the time after which an idle app is locked.
import { appLimits, type Clock, MINUTE_MS, type Timer } from '@postern/protocol'
import { AppError } from '../app-error.ts'
import type { AccountPassphrase } from '../platform.ts'
import type { AppSettings } from '../settings.ts'
import type { UnlockWait } from './unlock-wait.ts'

export type AppLockContext = {
  lock: AccountPassphrase
  clock: Clock
  settings: AppSettings
  wait: UnlockWait
  /** Removes everything that a notification could show of the account. */
  hideNotified: () => Promise<void>
  /** The lock was set or removed. */
  changed: () => void
  close: () => void
}

export type LockChange = { passphrase?: string; current?: string }

/** Sleep and a clock that is set are noticed this late. */
const LOOK_MS = 15_000

export class AppLock {
  readonly #parts: AppLockContext
  #isSet = false
  #timer: Timer | undefined
  #lastActive: { wallMs: number; monotonicMs: number }

  constructor(parts: AppLockContext) {
    this.#parts = parts
    this.#lastActive = this.#now()
  }

  get isSet(): boolean {
    return this.#isSet
  }

  async start(): Promise<void> {
    this.#isSet = await this.#parts.lock.isSet()
    this.#look()
  }

  stop(): void {
    this.#timer?.cancel()
  }

  /**
   * Notifications lose their names first: a kill in between leaves an account without a lock, which writes them again
   * at its next start. A repeat finds its own passphrase.
   */
  async set({ passphrase, current }: LockChange): Promise<void> {
    const { lock, hideNotified, changed } = this.#parts
    if (passphrase !== undefined && !isLongEnough(passphrase)) throw new AppError('passphrase-short')
    const wasSet = this.#isSet
    if (wasSet) await this.#assertMatches(current ?? passphrase ?? '')
    try {
      this.#isSet = wasSet || passphrase !== undefined
      if (!wasSet && this.#isSet) await hideNotified()
      await lock.set(passphrase)
      this.#isSet = passphrase !== undefined
    } catch (error) {
      this.#isSet = wasSet
      throw error
    } finally {
      this.active()
      this.#look()
      changed()
    }
  }

  /** A person comes back after the time is over, and presses a key before the timer has noticed it. */
  active(): void {
    if (this.#isOver()) return this.#parts.close()
    this.#lastActive = this.#now()
  }

  async #assertMatches(passphrase: string): Promise<void> {
    const { lock, wait } = this.#parts
    wait.assertOver()
    await wait.counted(lock.assertMatches(passphrase))
  }

  #look(): void {
    this.#timer?.cancel()
    if (!this.#isSet) return
    if (this.#isOver()) return this.#parts.close()
    this.#timer = this.#parts.clock.setTimer(LOOK_MS, () => this.#look())
  }

  /** By both clocks: one stands still while the machine sleeps, and anybody can set the other back. */
  #isOver(): boolean {
    const { lockAfter } = this.#parts.settings.get()
    if (!this.#isSet || lockAfter === 'never') return false
    const { wallMs, monotonicMs } = this.#now()
    const idleMs = Math.max(wallMs - this.#lastActive.wallMs, monotonicMs - this.#lastActive.monotonicMs)
    return idleMs >= Number(lockAfter) * MINUTE_MS
  }

  #now() {
    const { clock } = this.#parts
    return { wallMs: clock.nowMs(), monotonicMs: clock.monotonicMs() }
  }
}

/** In characters: six digits are a PIN. */
function isLongEnough(passphrase: string): boolean {
  const { passphraseUnitsMin, passphraseUnitsMax } = appLimits
  return [...passphrase].length >= passphraseUnitsMin && passphrase.length <= passphraseUnitsMax
}
