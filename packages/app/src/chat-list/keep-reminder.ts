// When a person is reminded to keep the account: once it is worth something, and until it is kept.
import type { BackupState } from '../contract/settings.ts'

const DAY_MS = 86_400_000
const SENT_MIN = 10

/** A clock that was set back makes no account younger than it is: what was sent counts, too. */
export function needsKeeping(keeping: BackupState, nowMs: number): boolean {
  if (keeping.recoverySavedMs !== undefined || keeping.backupSavedMs !== undefined) return keeping.recoveryIsOld
  return nowMs - keeping.accountMadeMs >= DAY_MS || keeping.messagesSent >= SENT_MIN
}
