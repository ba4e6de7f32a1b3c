// When a person is reminded to save the account: once it is worth something, and until it is saved.
import type { BackupState } from '../contract/settings.ts'

const DAY_MS = 86_400_000
const SENT_MIN = 10

/** A clock that was set back makes no account younger: sent messages count, too. */
export function needsKeeping(keeping: BackupState, nowMs: number): boolean {
  if (keeping.recoverySavedMs !== undefined || keeping.backupSavedMs !== undefined) return keeping.recoveryIsOld
  return nowMs - keeping.accountMadeMs >= DAY_MS || keeping.messagesSent >= SENT_MIN
}
