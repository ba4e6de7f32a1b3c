// The age of the last backup that `postern backup` has noted.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, DAY_MS, doctorLimits, MINUTE_MS } from '@postern/protocol'
import { lastBackupMs } from '@postern/protocol/node'
import { type Diagnosis, ok, warn } from './finding.ts'

type BackupCase = { directory: string; database: string; clock: Clock }

/** Without a database there is nothing to lose. */
export function checkBackup({ directory, database, clock }: BackupCase): Diagnosis[] {
  if (!existsSync(join(directory, database))) return []
  const madeMs = lastBackupMs(directory)
  const todo = 'make a backup with postern backup, and schedule it'
  if (madeMs === undefined) return [warn('backup', { text: 'no backup is recorded in the directory', todo })]
  const ageMs = clock.nowMs() - madeMs
  const when = new Date(madeMs).toISOString()
  if (ageMs < -MINUTE_MS)
    return [warn('backup', { text: `the last backup is dated in the future (${when})`, todo: 'check the clock' })]
  const text = `the last backup is ${ageText(ageMs)} old (${when})`
  return [ageMs > doctorLimits.backupWarnMs ? warn('backup', { text, todo }) : ok('backup', text)]
}

function ageText(ageMs: number): string {
  const [unitMs, unit] =
    ageMs >= 2 * DAY_MS
      ? [DAY_MS, 'days']
      : ageMs >= 120 * MINUTE_MS
        ? [60 * MINUTE_MS, 'hours']
        : [MINUTE_MS, 'minutes']
  return `${Math.max(0, Math.floor(ageMs / unitMs))} ${unit}`
}
