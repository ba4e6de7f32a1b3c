// Metrics of the bot's disk usage, free space and last backup. The database is only listed, never opened.
import { statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { accountFiles } from '@postern/core/node'
import type { Clock } from '@postern/protocol'
import { backupAgeSec } from '@postern/protocol/node'
import type { Metrics } from './metrics.ts'

type DiskCase = { directory: string; clock: Clock }

export function addDiskMetrics(metrics: Metrics, { directory, clock }: DiskCase): void {
  const database = join(directory, accountFiles.database)
  metrics.addGauge({ name: 'postern_database_bytes', help: 'Size of the database.' }, () => sizeOf(database))
  metrics.addGauge(
    { name: 'postern_database_log_bytes', help: "Size of the database's log, which is written into it now and then." },
    () => sizeOf(`${database}-wal`),
  )
  metrics.addGauge({ name: 'postern_disk_free_bytes', help: 'Room on the disk of the data directory.' }, () => {
    const { bavail, bsize } = statfsSync(directory)
    return bavail * bsize
  })
  metrics.addGauge(
    { name: 'postern_backup_age_seconds', help: 'Age of the last backup; absent if there is none.' },
    () => backupAgeSec(directory, clock.nowMs()),
  )
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0
